// The page's own font, for files that are looked at elsewhere.

/** @type {Map<string, Promise<string>>} */
const known = new Map();

/** @param {string} stack as in CSS @returns {Promise<string>} the rule that brings its first font along; "" if the page has none */
export function fontFace(stack) {
  const name = stack.split(",")[0].trim().replace(/["']/g, "");
  const rule = known.get(name) ?? ruleOf(name).catch(() => ""); // then it is written in the next font of the stack
  known.set(name, rule);
  return rule;
}

/** @param {string} name @returns {Promise<string>} */
async function ruleOf(name) {
  for (const sheet of document.styleSheets) {
    for (const rule of sheet.cssRules) {
      if (!(rule instanceof CSSFontFaceRule) || rule.style.getPropertyValue("font-style") === "italic") continue;
      if (rule.style.getPropertyValue("font-family").replace(/["']/g, "") !== name) continue;
      const [, url] = /url\(["']?([^"')]+)/.exec(rule.style.getPropertyValue("src")) ?? [];
      if (url) return `@font-face{font-family:"${name}";font-weight:100 900;src:url(${await dataUrl(new URL(url, sheet.href ?? location.href))})}`;
    }
  }
  return "";
}

/** @param {URL} url @returns {Promise<string>} */
async function dataUrl(url) {
  if (url.protocol === "data:") return url.href;
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url} did not load`);
  const blob = await answer.blob();
  return new Promise((done, fail) => {
    const reader = new FileReader();
    reader.onload = () => done(String(reader.result));
    reader.onerror = () => fail(reader.error);
    reader.readAsDataURL(blob);
  });
}
