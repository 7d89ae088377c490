// Runs in the page: [text, ratio, colour, background] of each text in sight with too little contrast.
const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
function rgba(colour) {
  canvas.clearRect(0, 0, 1, 1);
  canvas.fillStyle = colour;
  canvas.fillRect(0, 0, 1, 1);
  const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
  return [r, g, b, a / 255];
}
const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
function background(element) {
  const layers = [];
  for (let at = element; at; at = at.parentElement) layers.push(rgba(getComputedStyle(at).backgroundColor));
  return layers.reverse().reduce((below, top) => over(top, below), [255, 255, 255, 1]);
}
const channel = (value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
const luminance = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
const found = [];
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (texts.nextNode()) {
  const element = texts.currentNode.parentElement;
  if (!texts.currentNode.data.trim() || !element.checkVisibility() || element.closest("script, button:disabled")) continue;
  const behind = background(element), colour = over(rgba(getComputedStyle(element).color), behind);
  const [light, dark] = [luminance(colour), luminance(behind)].sort((a, b) => b - a);
  const ratio = (light + 0.05) / (dark + 0.05);
  if (ratio < 4.5) found.push([texts.currentNode.data.slice(0, 40), ratio, colour.join(), behind.join()]);
}
return found;
