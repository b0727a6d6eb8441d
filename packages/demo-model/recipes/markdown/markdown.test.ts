import assert from "node:assert/strict"
import { test } from "node:test"
import { renderMarkdown } from "./markdown.ts"

test("renders headings and paragraphs", () => {
  assert.equal(renderMarkdown("# Title\n\nOne\ntwo"), "<h1>Title</h1>\n<p>One\ntwo</p>")
  assert.equal(renderMarkdown("### Third"), "<h3>Third</h3>")
})

test("renders lists and quotes", () => {
  assert.equal(renderMarkdown("- a\n- b"), "<ul><li>a</li><li>b</li></ul>")
  assert.equal(renderMarkdown("1. a\n2. b"), "<ol><li>a</li><li>b</li></ol>")
  assert.equal(renderMarkdown("> said"), "<blockquote>said</blockquote>")
})

test("renders emphasis, code and links", () => {
  assert.equal(renderMarkdown("*a* **b**"), "<p><em>a</em> <strong>b</strong></p>")
  assert.equal(renderMarkdown("`*a*`"), "<p><code>*a*</code></p>")
  assert.equal(renderMarkdown("[b](https://a.org)"), '<p><a href="https://a.org">b</a></p>')
})

test("keeps code blocks as they are", () => {
  assert.equal(renderMarkdown("```js\n# no\n\n<b>\n```"), "<pre><code># no\n\n&lt;b&gt;</code></pre>")
})

test("lets no HTML and no script through", () => {
  assert.equal(renderMarkdown("<b>"), "<p>&lt;b&gt;</p>")
  assert.doesNotMatch(renderMarkdown("[x](javascript:alert(1))"), /href/)
  assert.doesNotMatch(renderMarkdown('[x](https://a.org/"onclick="y)'), /"onclick/)
})
