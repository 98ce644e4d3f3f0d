"use strict";
// Two comforts; every page works without them.

// "/" jumps to the search box.
document.addEventListener("keydown", (e) => {
  if (e.key !== "/" || e.ctrlKey || e.metaKey || e.altKey) return;
  if (/^(input|textarea|select)$/i.test(e.target.tagName) || e.target.isContentEditable) return;
  const box = document.querySelector(".ask input");
  if (!box) return;
  e.preventDefault();
  box.focus();
  box.select();
});

// The dashboard replaces itself every two seconds while somebody looks, and
// slower while the server does not answer.
const every = 2000, slowest = 30000;
let pause = every;

function busy() {
  const s = window.getSelection();
  return document.hidden || (s && !s.isCollapsed);
}

async function refresh() {
  const live = document.getElementById("live");
  if (!live) return;
  if (!busy()) {
    try {
      const answer = await fetch(live.dataset.refresh, { signal: AbortSignal.timeout(10000) });
      if (!answer.ok) throw new Error(answer.status);
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      live.replaceWith(page.getElementById("live"));
      const pulse = document.getElementById("pulse");
      pulse.textContent = "live · " + pulse.textContent;
      pause = every;
    } catch {
      const pulse = document.getElementById("pulse");
      pulse.textContent = "no answer; trying again";
      pulse.className = "lost";
      pause = Math.min(slowest, 2 * pause);
    }
  }
  setTimeout(refresh, pause);
}

if (document.getElementById("live")) setTimeout(refresh, every);
