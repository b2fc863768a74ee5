{
  // Draws the chart over the still figure. A chart of several runs cannot follow its box, so its columns share the width here. On a
  // phone the runs stand one above the other.
  const box = document.getElementById("chart"), spec = JSON.parse(document.getElementById("chart-data").textContent);
  if (spec.facet) {
    const narrow = box.clientWidth < 500, runs = new Set(spec.data.values.map((row) => row.run)).size;
    if (narrow) spec.facet = { row: spec.facet.column };
    spec.spec.width = Math.max(110, box.clientWidth / (narrow ? 1 : runs) - (narrow ? 90 : 70));
  }
  vegaEmbed(box, spec, { ast: true, actions: false, renderer: "svg" }).then(() => { document.getElementById("still").hidden = true; });
}
