/** Markdown as HTML. Everything else is escaped, and links may only lead to web and mail addresses. */
export function renderMarkdown(text) {
  const blocks = text.replaceAll("\r", "").match(/^```[\s\S]*?^```|(?:^(?!```).*\S.*\n?)+/gm) ?? []
  return blocks.map((block) => renderBlock(block.trimEnd())).join("\n")
}

function renderBlock(block) {
  if (block.startsWith("```")) return `<pre><code>${escaped(block.split("\n").slice(1, -1).join("\n"))}</code></pre>`

  const lines = block.split("\n")
  const heading = block.match(/^(#{1,6}) +(.+)/)
  if (heading && lines.length === 1) {
    const [, marks = "", title = ""] = heading
    return `<h${marks.length}>${renderInline(title)}</h${marks.length}>`
  }
  if (lines.every((line) => /^[-*] /.test(line))) return renderList("ul", lines, /^[-*] /)
  if (lines.every((line) => /^\d+\. /.test(line))) return renderList("ol", lines, /^\d+\. /)
  if (lines.every((line) => line.startsWith(">"))) {
    return `<blockquote>${renderInline(lines.map((line) => line.slice(1).trim()).join("\n"))}</blockquote>`
  }
  return `<p>${renderInline(block)}</p>`
}

function renderList(tag, lines, mark) {
  const items = lines.map((line) => `<li>${renderInline(line.replace(mark, ""))}</li>`)
  return `<${tag}>${items.join("")}</${tag}>`
}

/** Takes code out first, because nothing in it is Markdown. */
function renderInline(text) {
  return text
    .split(/(`[^`]+`)/)
    .map((part, index) => (index % 2 === 1 ? `<code>${escaped(part.slice(1, -1))}</code>` : renderWords(part)))
    .join("")
}

function renderWords(text) {
  return escaped(text)
    .replace(/\[([^\]]+)\]\(((?:https?:\/\/|mailto:)[^)\s]+)\)/g, '<a href="$2">$1</a>')
    .replace(/\*\*([^*]+)\*\*/g, "<strong>$1</strong>")
    .replace(/\*([^*]+)\*/g, "<em>$1</em>")
}

function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;")
}
