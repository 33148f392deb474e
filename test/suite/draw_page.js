// Runs the script of a page of report data (argument or standard input) and prints what it draws.
"use strict";
const fs = require("fs");
const vm = require("vm");

const page = fs.readFileSync(process.argv[2] ?? 0, "utf8");
const json = /<pre id="data">([^<]*)<\/pre>/.exec(page)[1].replace(/&lt;/g, "<").replace(/&amp;/g, "&");
const [, script] = [...page.matchAll(/<script>([^]*?)<\/script>/g)].map((match) => match[1]);
const main = {};
const document = {getElementById: () => ({textContent: json}), querySelector: () => main};
vm.runInNewContext(script, {document, location: {hash: ""}});
process.stdout.write(`<page><title>${document.title.replace(/[&<]/g, "?")}</title>${main.innerHTML}</page>`);
