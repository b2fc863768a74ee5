{
  // Draws the chart over the still figure. A chart of several runs cannot follow its box, so its columns share the width here.
  const box = document.getElementById("chart"), spec = JSON.parse(document.getElementById("chart-data").textContent);
  if (spec.facet) spec.spec.width = Math.max(110, box.clientWidth / new Set(spec.data.values.map((row) => row.run)).size - 70);
  vegaEmbed(box, spec, { ast: true, actions: false, renderer: "svg" }).then(() => { document.getElementById("still").hidden = true; });
}
