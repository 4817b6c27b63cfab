"use strict";
(() => {
  const byId = (id) => document.getElementById(id);

  // The slider: moves bars, bands and the line of the chart, and writes texts that were made with the page.
  const slider = byId("worst-weight");
  const source = byId("slider-data");
  let toPrint = () => {};
  if (slider && source) {
    const data = JSON.parse(source.textContent);
    const labels = slider.dataset.labels.split(" ");
    const rows = Array.from(byId("bars").tBodies[0].rows);
    const cursor = byId("tradeoff-cursor");
    const set = (element, values) => {
      for (const [name, value] of Object.entries(values)) element.setAttribute(name, value);
    };
    const show = (i) => {
      const step = data.steps[i];
      step.rows.forEach(([places, cells], r) => {
        const [length, start, width] = places;
        set(rows[r].querySelector(".fill"), { width: length });
        set(rows[r].querySelector(".band"), { x: start, width: width });
        const numbers = rows[r].querySelectorAll("td:not(.drawing)");
        cells.forEach(([main, aside, refs, format], c) => {
          const cell = numbers[c];
          cell.textContent = main;
          if (aside) {
            const small = document.createElement("small");
            small.textContent = aside;
            cell.append(" ", small);
          }
          if (refs) {
            cell.dataset.ref = refs;
            cell.dataset.format = format;
          }
        });
      });
      set(cursor, { x1: data.cursor[i], x2: data.cursor[i] });
      byId("slider-sentence").textContent = step.sentence;
      byId("worst-weight-value").textContent = labels[i];
      slider.setAttribute("aria-valuetext", labels[i]);
    };
    slider.addEventListener("input", () => show(Number(slider.value)));
    const chosen = data.chosen ?? 0;
    const back = byId("back-to-chosen");
    if (back) {
      back.addEventListener("click", () => {
        slider.value = String(chosen);
        show(chosen);
      });
    }
    toPrint = (printing) => show(printing ? chosen : Number(slider.value));
    slider.closest(".control").hidden = false;
  }

  // On paper all details but very long ones are open, and the slider stands at the chosen point.
  const print = window.matchMedia("print");
  let opened = [];
  const printing = (starts) => {
    if (starts) {
      const closed = Array.from(document.querySelectorAll("details:not([open]):not(.on-screen)"));
      closed.forEach((details) => { details.open = true; });
      opened = opened.concat(closed);
    } else {
      opened.forEach((details) => { details.open = false; });
      opened = [];
    }
    toPrint(starts);
  };
  print.addEventListener("change", (event) => printing(event.matches));
  window.addEventListener("beforeprint", () => printing(true));
  window.addEventListener("afterprint", () => printing(false));

  // Only regions that can be moved are stops of the keyboard.
  // Closed details are left alone: to ask for their size is to lay them out.
  const stops = () => {
    const regions = Array.from(document.querySelectorAll(".scroll")).filter((r) => !r.closest("details:not([open])"));
    const wide = regions.map((r) => r.scrollWidth > r.clientWidth + 1);
    const tall = regions.map((r) => r.scrollHeight > r.clientHeight + 1);
    regions.forEach((region, i) => {
      region.classList.toggle("wide", wide[i]);
      if (wide[i] || tall[i]) region.tabIndex = 0;
      else region.removeAttribute("tabindex");
    });
  };
  window.addEventListener("resize", stops);
  document.addEventListener("toggle", stops, true);
  stops();

  // A link into closed details opens them.
  const open = () => {
    const target = location.hash && byId(decodeURIComponent(location.hash.slice(1)));
    const around = target && target.closest("details");
    if (around) around.open = true;
  };
  window.addEventListener("hashchange", open);
  open();

  // Boxes that leave only the rows whose name contains a text.
  for (const box of document.querySelectorAll("input[data-table]")) {
    const rows = Array.from(byId(box.dataset.table).tBodies[0].rows);
    const status = box.parentElement.querySelector(".found");
    box.addEventListener("input", () => {
      const wanted = box.value.trim().toLowerCase();
      let found = 0;
      for (const row of rows) {
        const name = row.cells[0];
        const hit = !wanted || name.textContent.toLowerCase().includes(wanted);
        row.hidden = !hit && !row.classList.contains("everyone");
        found += hit ? 1 : 0;
      }
      status.textContent = wanted ? found + " of " + rows.length + " rows" : "";
    });
    box.parentElement.hidden = false;
  }
})();
