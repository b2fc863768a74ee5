"""The includes of a set of source files, and the arrows among them that layers.toml forbids."""

import re
import tomllib
from pathlib import Path, PurePosixPath
from posixpath import normpath

TABLE = tomllib.loads(Path(__file__).with_name("layers.toml").read_text(encoding="utf-8"))
LIBRARIES = {name: re.compile(pattern) for name, pattern in TABLE["libraries"].items()}


def includes_of(text):
    """(line, what, whether in quotes) of each include directive; a comment holds none."""
    text = re.sub(r"/\*.*?(\*/|\Z)", lambda comment: re.sub("[^\n]", " ", comment[0]), text, flags=re.DOTALL)
    found = ((line, re.match(r"\s*#\s*include\s*([<\"])([^>\"]+)[>\"]", words)) for line, words in enumerate(text.split("\n"), 1))
    return [(line, match[2], match[1] == '"') for line, match in found if match]


def part(path, index):
    return (path.split("/") + [""] * 9)[index]


def is_device(file):
    return file.endswith((".cu", ".cuh"))


def may_use_device(file):
    """Tests of the device may ask it about itself, whoever compiles them."""
    return is_device(file) or file.startswith("tests/gpu/")


class IncludeGraph:
    def __init__(self, files):
        """Files by their path from the root: sources, headers, and the CMakeLists.txt that makes a folder a module."""
        self.includes = {path: includes_of(text) for path, text in sorted(files.items()) if not path.endswith(".txt")}
        self.modules = sorted(path.split("/")[1] for path in files if re.fullmatch("modules/[^/]+/CMakeLists.txt", path))
        self.with_kernels = [name for name in self.modules if name != "common" and any(
            is_device(path) and path.startswith(f"modules/{name}/") for path in self.includes)]
        self.resolved = {}

    def known_by(self, module):
        """The modules that a module may include; None if the table says nothing about it."""
        allowed = TABLE["modules"].get(module, ["common"] if module in self.modules else None)
        return allowed and [name for entry in allowed for name in (self.modules if entry == "*" else [entry])]

    def module_of(self, file):
        if part(file, 0) != "modules":
            return part(file, 0)
        return "bench" if part(file, 2) == "bench" else part(file, 1)

    def is_public(self, file):
        return file.startswith("harness/") or re.match("modules/[^/]+/include/", file) is not None

    def layer_of(self, file):
        """The longest folder of the table that holds a file, or ""; a source without one belongs to the header of its name."""
        module = self.module_of(file)
        layers = TABLE["layers"].get(module, {})
        inside = re.sub(f"^(harness|modules/{module}(/src|/include/ndt(/{module})?)?)/", "", file)
        held = [layer for layer in layers if inside.startswith(layer + "/")]
        header = f"modules/{module}/include/ndt/{{}}/{PurePosixPath(file).stem}"
        if not held and not self.is_public(file):
            held = [layer for layer in layers if {header.format(layer) + ".hpp", header.format(layer) + ".cuh"} & self.includes.keys()]
        return max(held, key=len, default="")

    def modules_under_test(self, file):
        """ The modules whose private headers a test may include: a unit test those of its unit, a device
        test those with kernels."""
        if file.startswith("tests/unit/"):
            return [part(file, 2)]
        return self.with_kernels if file.startswith("tests/gpu/") else []

    def resolve(self, file, what, quoted):
        """The included file, or ""."""
        folders = []
        if what.startswith("ndt/"):
            folders = [f"modules/{module}/include" for module in self.modules]
        elif quoted:
            folders = [str(PurePosixPath(file).parent), *([f"modules/{part(file, 1)}/src"] if file.startswith("modules/") else []), "harness",
                       *(["tests/support"] if file.startswith("tests/") else [])]
            # A device test runs the cases of the unit test, too.
            folders += [folder for module in self.modules_under_test(file) for folder in (f"modules/{module}/src", f"tests/unit/{module}")]
        key = (file, what, quoted)
        if key not in self.resolved:
            self.resolved[key] = next((path for path in (normpath(f"{folder}/{what}") for folder in folders) if path in self.includes), "")
        return self.resolved[key]

    def objection_to_own(self, file, target):
        module, other = self.module_of(file), self.module_of(target)
        layer, below = self.layer_of(file), self.layer_of(target)
        if other != module and other not in self.known_by(module):
            return f"{module} may not know {other}"
        if other != module and not self.is_public(target) and other not in self.modules_under_test(file):
            return f"it is private to {other}"
        if is_device(target) and not may_use_device(file):
            return "device code is for .cu and .cuh files"
        if other == "common" and below == "cuda" and may_use_device(file):
            return ""
        allowed = TABLE["layers_of_common_for"].get(module) if other == "common" else None
        if allowed is not None and below not in allowed:
            return f"{module} may know only {' and '.join(name + '/' for name in allowed)}"
        if other == module and module in TABLE["layers"] and not any(
                f"{below}/".startswith(name + "/") for name in TABLE["layers"][module][layer] + [layer]):
            return f"{layer}/ may not know {below}/"
        return ""

    def objection(self, file, what, quoted):
        module = self.module_of(file)
        if self.known_by(module) is None:
            return f"the layering says nothing about {module}"
        if module in TABLE["layers"] and not self.layer_of(file):
            return f"{module} has no layer for this file: no folder of layers.toml holds it, no header there has its name"
        target = self.resolve(file, what, quoted)
        if target:
            return self.objection_to_own(file, target)
        if what.startswith("ndt/"):
            return "there is no such public header"
        if quoted and what not in TABLE["files"]["generated"]:
            return "there is no such header here"
        if module in TABLE["files"]["adapters"]:
            return ""
        if file.startswith("modules/") and self.is_public(file) and any(LIBRARIES[name].search(what) for name in ("host_only", "pcl")):
            return "public headers stay free of it"
        # A program of examples/ is a user's, which may call CUDA's runtime itself.
        if LIBRARIES["cuda"].search(what) and not may_use_device(file) and not file.startswith("examples/"):
            return "CUDA stays in .cuh and .cu"
        return ""

    def followed_by_nvcc(self, file, chain, visited):
        """Host-only libraries must not reach nvcc, not even through a header of ours."""
        visited.add(file)
        for line, what, quoted in self.includes[file]:
            if LIBRARIES["host_only"].search(what):
                yield f"{file}:{line}: includes {what}: nvcc would read it through {chain}"
            target = self.resolve(file, what, quoted)
            if target and target not in visited:
                yield from self.followed_by_nvcc(target, f"{chain} -> {target}", visited)

    def violations(self):
        """One line per forbidden include."""
        found = []
        for file, includes in self.includes.items():
            objections = ((line, what, self.objection(file, what, quoted)) for line, what, quoted in includes)
            found += [f"{file}:{line}: includes {what}: {why}" for line, what, why in objections if why]
            found += self.followed_by_nvcc(file, file, set()) if is_device(file) else []
        return found

    def unit_of(self, file):
        """A source is one unit with the header of its name that it includes, a header with its _inl."""
        path = PurePosixPath(file)
        if path.stem.endswith("_inl"):
            return file[:file.rindex("_inl")]
        targets = [PurePosixPath(self.resolve(file, what, quoted)) for _, what, quoted in self.includes[file]]
        own = [target for target in targets if target.suffix in (".hpp", ".cuh") and target.stem == path.stem]
        return str((own or [path])[0].with_suffix(""))

    def cycles(self):
        """One line per cycle of units."""
        units = {file: self.unit_of(file) for file in self.includes}
        arrows = {}
        for file, includes in self.includes.items():
            targets = {units.get(self.resolve(file, what, quoted)) for _, what, quoted in includes}
            arrows.setdefault(units[file], set()).update(targets - {units[file], None})
        found, finished = [], set()

        def follow(unit, path):
            if unit in path:
                found.append(" -> ".join([*path[path.index(unit):], unit]))
            elif unit not in finished:
                for target in sorted(arrows.get(unit, ())):
                    follow(target, [*path, unit])
                finished.add(unit)

        for unit in sorted(arrows):
            follow(unit, [])
        return found
