// Adds to the pages: a choice of the project at once, plots, and keys. Without this script
// every page can be read and every form can be sent.
(() => {
  "use strict";
  document.documentElement.classList.add("scripted");

  document.addEventListener("change", (event) => {
    if (event.target.matches("[data-submit]")) event.target.form.submit();
  });

  // On a narrow screen the navigation is one row, which scrolls to the page that is open.
  const current = document.querySelector("nav [aria-current]");
  if (current) current.parentElement.scrollLeft = current.offsetLeft - current.parentElement.offsetLeft - (current.parentElement.clientWidth - current.offsetWidth) / 2;

  // A key with data-key focuses or clicks its element, unless somebody types.
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, textarea, select")) return;
    const at = [...document.querySelectorAll("[data-key]")].find((one) => one.dataset.key === event.key);
    if (!at) return;
    event.preventDefault();
    if (at.matches("input")) { at.focus(); return; }
    at.click();
    if (at.matches("summary")) at.parentElement.querySelector("textarea")?.focus();
  });

  const color = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  // Whole days are days by UTC, as the server counts them; shorter steps have the time of this browser.
  const dates = (_, at, __, ___, step) => at.map((second) => step < 86400
    ? new Date(second * 1000).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" })
    : new Date(second * 1000).toLocaleDateString("en-GB", { day: "numeric", month: "short", timeZone: "UTC" }));

  function draw(figure) {
    const plot = JSON.parse(figure.dataset.plot), canvas = figure.querySelector(".canvas");
    if (!window.uPlot || !plot.Values || !plot.Values.length) { figure.classList.add("no-plots"); return; }
    canvas.replaceChildren();
    const strokes = [color("--accent"), color("--orange"), color("--green"), color("--amber")];
    const axis = { stroke: color("--soft"), grid: { stroke: color("--line"), width: 1 }, ticks: { stroke: color("--line") } };
    const bars = plot.Kind === "bars" ? { paths: uPlot.paths.bars({ size: [0.8, 60] }), points: { show: false } } : { points: { show: false } };
    new uPlot({
      width: Math.max(canvas.clientWidth, 200), height: 210,
      legend: { live: false }, cursor: { points: { show: false } },
      scales: { x: { time: plot.Dates }, y: { range: (_, low, high) => [Math.min(0, low || 0), (high || 1) * 1.08] } },
      axes: [{ ...axis, label: plot.Across, labelSize: 22, size: 34, ...(plot.Dates ? { values: dates } : {}), ...(plot.Names ? { splits: () => plot.Values[0], values: (_, at) => at.map((i) => plot.Names[i]) } : {}) }, { ...axis, size: 52 }],
      series: [{ label: plot.Across }, ...plot.Lines.map((label, i) => ({
        label, stroke: strokes[i % strokes.length], width: 2, dash: i === 1 && !plot.Kind ? [6, 5] : undefined,
        fill: plot.Kind === "bars" ? strokes[i % strokes.length] : undefined, ...bars,
      }))],
    }, plot.Values, canvas);
  }

  // New events arrive as pieces of the page, rendered and escaped by the server.
  const feed = document.querySelector("[data-events]");
  if (feed) {
    const state = document.querySelector("#stream"), events = new EventSource(feed.dataset.events);
    state.hidden = false;
    events.onopen = () => { state.textContent = "Connected: new events appear at the top."; };
    events.onerror = () => { state.textContent = "The agent has ended or is busy; memory open starts it again."; };
    events.onmessage = (event) => {
      document.querySelector("#quiet")?.remove();
      feed.insertAdjacentHTML("afterbegin", event.data);
      while (feed.children.length > 200) feed.lastElementChild.remove();
    };
    addEventListener("pagehide", () => events.close());
  }

  const drawAll = () => document.querySelectorAll("[data-plot]").forEach(draw);
  drawAll();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  let resizing;
  addEventListener("resize", () => { clearTimeout(resizing); resizing = setTimeout(drawAll, 150); });
})();
