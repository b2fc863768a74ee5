// ndt-bench: declares the subcommands, runs the chosen one, and is the only place where failures become exit codes.
#include <fmt/format.h>

#include <cstdio>

#include "commands.hpp"
#include "ndt/core/error.hpp"
#include "ndt/harness/build_info.hpp"
#include "ndt/harness/environment.hpp"

namespace {

using ndt::harness::ExitCode;

int fail(ExitCode code, std::string_view message) {
  fmt::print(stderr, "ndt-bench: {}\n", message);
  return static_cast<int>(code);
}

/// A full disk or a closed pipe must not look like success.
int finish(ExitCode code) {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) return fail(ExitCode::bad_input, "cannot write to stdout");
  return static_cast<int>(code);
}

void declare(CLI::App& app, ndt::harness::Command& chosen, const std::string& command_line) {
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string(ndt::harness::build_info().version));
  ndt::harness::add_list(app, chosen);
  ndt::harness::add_doctor(app, chosen);
  ndt::harness::add_align(app, chosen);
  ndt::harness::add_evaluate(app, chosen);
  ndt::harness::add_voxels(app, chosen);
  ndt::harness::add_run(app, chosen, command_line);
  ndt::harness::add_export(app, chosen);
  app.footer(
      "Exit codes: 0 ok, 1 usage, 2 bad input, 3 regression, 4 some jobs failed, 5 no usable device.\n"
      "First steps:\n"
      "  ndt-bench export --dataset courtyard --out courtyard\n"
      "  ndt-bench align --map courtyard/map.pcd --scan courtyard/scan.pcd --guess 0.3,-0.2,0,0,0,0.03\n"
      "  ndt-bench run --preset smoke");
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Align point clouds with the implementations of the NDT suite, and measure them side by side",
               "ndt-bench"};
  try {
    ndt::harness::Command command;
    declare(app, command, ndt::harness::command_line({argv, static_cast<std::size_t>(argc)}));
    app.parse(argc, argv);
    return finish(command());
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return finish(static_cast<ExitCode>(app.exit(error)));  // help and version
    return fail(ExitCode::usage, fmt::format("{}; see ndt-bench --help", error.what()));
  } catch (const ndt::InputError& error) {
    return fail(ExitCode::bad_input, error.what());
  } catch (const std::invalid_argument& error) {
    return fail(ExitCode::usage, error.what());
  } catch (const ndt::harness::RegressionError& error) {
    return fail(ExitCode::regression, error.what());
  } catch (const ndt::harness::NoDeviceError& error) {
    return fail(ExitCode::no_device, error.what());
  } catch (const std::exception& error) {
    return fail(ExitCode::jobs_failed, error.what());
  }
}
