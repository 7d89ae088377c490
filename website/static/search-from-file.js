// A browser starts no worker from a page that was opened as a file. So the search's worker is loaded as text there
// (hooks.py writes it) and started from memory.
if (location.protocol === "file:") {
  const base = document.currentScript.src.replace(/[^/]*$/, "");
  document.write(`<script src="${base}search/worker.js"></script>`); // loaded before the theme asks for its worker
  window.Worker = class extends Worker {
    constructor(url, options) {
      super(URL.createObjectURL(new Blob([__worker], { type: "text/javascript" })), options);
    }
  };
}
