import { runInNewContext } from "node:vm"
import { blocks, html, plainScript, quoted, script, source } from "@switchyard/core/models/demo/source"
import fc from "fast-check"
import { describe, expect, it } from "vitest"

describe("source", () => {
  it("stands without the indentation of the code around it, and ends with one line end", () => {
    const text = source`
      if (true) {
        run()

      }
    `
    expect(text).toBe("if (true) {\n  run()\n\n}\n")
  })

  it("indents a value of several lines like its line, but not its empty lines", () => {
    const text = source`
      class A:
          ${"one\n\n    two\n"}
    `
    expect(text).toBe("class A:\n    one\n\n        two\n")
  })

  it("drops a line that is only an empty value", () => {
    const text = source`
      a
      ${""}
      b${""}
    `
    expect(text).toBe("a\nb\n")
  })

  it("keeps backslashes, but for the two escapes that a template needs", () => {
    const text = source`
      /\d\\\./ \n \`\${x}\`
    `
    expect(text).toBe(`/\\d\\\\\\./ \\n \`$\{x}\`\n`)
  })

  it("never reads a value again", () => {
    const nasty = `\0 $& $1 \`$\{x}\` \\n`
    const text = source`
      ${nasty}|${"second"}
    `
    expect(text).toBe(`${nasty}|second\n`)
  })
})

describe("script", () => {
  const text = '‹interface A {\n  b: string\n}\n\n›import { a‹, type A› } from "./a.ts"\n‹type B = A\n›f(x‹: A›)\n'

  it("keeps what is TypeScript's for TypeScript", () => {
    expect(script("typescript", text)).toBe(
      'interface A {\n  b: string\n}\n\nimport { a, type A } from "./a.ts"\ntype B = A\nf(x: A)\n',
    )
  })

  it("drops it for JavaScript, empty lines included, and names .js files", () => {
    expect(script("javascript", text)).toBe('import { a } from "./a.js"\nf(x)\n')
  })

  it("exports nothing from a plain script", () => {
    expect(plainScript("export function f() {}\n")).toBe("function f() {}\n")
  })

  it("puts one empty line between blocks", () => {
    expect(blocks("a\n", false, "b\n")).toBe("a\n\nb\n")
  })
})

describe("text in code", () => {
  it("is a literal that means that text and nothing else", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(runInNewContext(quoted(text))).toBe(text.toWellFormed())
        expect(JSON.parse(quoted(text))).toBe(text.toWellFormed())
      }),
    )
  })

  it("is only text in HTML", () => {
    expect(html(`<a href="x" id='y'>&amp;</a>`)).toBe("&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;amp;&lt;/a&gt;")
  })
})
