// Looks at pages with axe-core in a headless Chromium, narrow and wide, light and dark, and names every violation and
// every page that is wider than its window. A picture of each is left in the working directory.
//
//   npm install axe-core@4.10.2 puppeteer-core@23.11.1
//   go run ./cmd/millrace demo        in another terminal; it prints its address
//   node bench/pages/axe.mjs http://127.0.0.1:8080 / '/?q=water' '/?q=zzzz' '/?q=a+foo:bar' /dashboard /why
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const require = createRequire(path.join(process.cwd(), "package.json"));
const puppeteer = require("puppeteer-core");
const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const [base, ...paths] = process.argv.slice(2);
if (!base || paths.length === 0) {
  console.error("usage: node axe.mjs http://127.0.0.1:PORT PATH ...");
  process.exit(2);
}

const browser = await puppeteer.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
let bad = 0;
for (const scheme of ["light", "dark"]) {
  for (const width of [400, 1400]) {
    const page = await browser.newPage();
    await page.setBypassCSP(true); // axe is put into the page
    await page.setViewport({ width, height: 900 });
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    for (const [i, path] of paths.entries()) {
      await page.goto(base + path, { waitUntil: "domcontentloaded" });
      await page.evaluate(() => document.querySelectorAll("details").forEach((d) => (d.open = true)));
      await page.evaluate(axe);
      const found = await page.evaluate(async () => ({
        wide: document.documentElement.scrollWidth,
        violations: (await window.axe.run()).violations.map((v) => v.id + ": " + v.nodes.map((n) => n.html.slice(0, 120)).join(" ; ")),
      }));
      if (found.wide > width) found.violations.push(`the page is ${found.wide} px wide`);
      for (const v of found.violations) console.log(`${path} ${scheme} ${width}: ${v}`);
      bad += found.violations.length;
      await page.screenshot({ path: `page-${i}-${scheme}-${width}.png` });
    }
    await page.close();
  }
}
await browser.close();
console.log(`${paths.length} pages in 4 ways: ${bad} violations`);
process.exit(bad ? 1 : 0);
