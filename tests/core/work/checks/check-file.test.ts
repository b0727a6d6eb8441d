import { checkFile } from "@switchyard/core/work/checks/check-file"
import { recipeFiles } from "@switchyard/demo-model/recipe-files"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { cases } from "../../../settings.ts"

/** Returns the findings in a file as `rule: message`. */
async function found(path: string, text: string, before?: string): Promise<string[]> {
  const findings = await checkFile({ path, text, before })
  return findings.map(({ rule, message }) => `${rule}: ${message}`)
}

describe("a file that is empty", () => {
  it.each(["README.md", "docs/readme", "index.html", "src/app.js", "Dockerfile", "a.py"])(
    "is a fault: %s",
    async (path) => {
      expect(await found(path, " \n")).toEqual(["empty_file: The file is empty."])
    },
  )

  it.each(["pkg/__init__.py", ".gitkeep", "py.typed", "data.txt", "test/empty.js", "tests/fixtures/a.json"])(
    "is none where it may be: %s",
    async (path) => expect(await found(path, "")).toEqual([]),
  )
})

describe("a file in a Markdown fence", () => {
  it.each([
    ["package.json", '```json\n{ "name": "a" }\n```\n', "1", "```json"],
    ["src/a.py", "\n```python\nprint(1)\n", "2", "```python"],
    ["Dockerfile", "```\nFROM node\n```", "1", "```"],
    [".env.example", "~~~~\nA=1\n~~~~", "1", "~~~~"],
    ["README.md", "```markdown\n# A\n\n```sh\nnpm start\n```\n```\n", "1", "```markdown"],
  ])("is found, and nothing else about it: %s", async (path, text, line, fence) => {
    const message = `the file begins with a Markdown fence (${fence}). Save only the text between the fences.`
    expect(await found(path, text)).toEqual([`markdown_fence: Line ${line}: ${message}`])
  })

  it.each([
    ["README.md", "```sh\nnpm start\n```\n\n# A\n"],
    ["docs/a.md", "```markdown\n# An example\n```\n\nAs above.\n"],
    ["notes.txt", "```\na\n```\n"],
    ["src/a.py", 'text = """\n```json\n```\n"""\n'],
  ])("is not a fence within a text: %s", async (path, text) => expect(await found(path, text)).toEqual([]))
})

describe("a text that isn't the file's own", () => {
  const marked = "<<<<<<< SEARCH\n.a {\n}\n=======\n.b {\n}\n>>>>>>> REPLACE\n"
  const patch = "--- a/style.css\n+++ b/style.css\n@@ -1,2 +1,2 @@\n .a {\n+  margin: 0;\n }\n"
  it.each([
    ["a patch", "style.css", patch, "Line 1: the file is a patch. Save the complete patched text."],
    ["a search and its replacement", "a.css", `\n${marked}`, "Line 2: conflict markers. Save the resolved text."],
    ["a conflict", "README.md", `# A\n\n${marked}`, "Line 3: conflict markers. Save the resolved text."],
    [
      "a thought",
      "README.md",
      "<think>I begin.</think>\n# A\n",
      `"<think>" isn't part of the file. Save only its content.`,
    ],
    ["a template's token", "a.css", ".a {\n}\n<|im_end|>\n", `Line 3: "<|im_end|>" isn't part of the file.`],
    ["escaped line breaks", "README.md", "# A\\n\\nTakes notes.", "the line breaks are written as \\n."],
    ["escaped tags", "index.html", "&lt;!doctype html&gt;\n&lt;p&gt;A&lt;/p&gt;\n", "the tags are escaped (&lt;)."],
    ["line numbers", "README.md", "1\t# A\n2\t\n3\tTakes notes.\n", "every line begins with its number."],
  ])("is found, and nothing else about it: %s", async (_, path, text, message) => {
    expect(await found(path, text)).toEqual([expect.stringContaining(message)])
  })

  it.each([
    ["a patch of its own", "fix.patch", patch],
    ["conflict markers in a fence", "README.md", `# A\n\n\`\`\`\n${marked}\`\`\`\n`],
    ["a table of two columns", "a.tsv", "1\tA\n2\tB\n3\tC\n"],
    ["an ordered list", "README.md", "1. A\n2. B\n3. C\n"],
    ["one line that names \\n", "README.md", "Lines end with \\n."],
  ])("is none: %s", async (_, path, text) => expect(await found(path, text)).toEqual([]))
})

describe("a page that breaks off", () => {
  it.each([
    ["in a script", "<!doctype html>\n<p>A</p>\n<script>\nconst a = 1\n", 'Line 3: "<script>" is never closed.'],
    ["in a comment", "<!doctype html>\n<!-- A <p>B</p>\n", 'Line 2: "<!--" is never closed.'],
    ["in a tag", '<!doctype html>\n<ul id="list', "Line 2: the tag that begins here has no end"],
  ])("is found: %s", async (_, text, message) => {
    expect(await found("index.html", text)).toEqual([expect.stringContaining(message)])
  })

  it.each([
    ["no end tags", "<!doctype html>\n<title>A</title>\n<ul>\n<li>A\n<li>B\n</ul>\n"],
    ["tags in a script", '<!doctype html>\n<script>\ndocument.title = "<!-- <style> <title>"\n</script>\n<p>1 < 2'],
  ])("is none: %s", async (_, text) => expect(await found("index.html", text)).toEqual([]))
})

describe("a Python file that its grammar lets pass", () => {
  const shifted = "the indentation differs from the previous lines in the same block."
  it.each([
    ["an indented line too many", "def a():\n    b = 1\n      c = 2\n", `Line 3: ${shifted}`],
    ["tabs among spaces", "def a():\n        b = 1\n\tc = 2\n", `Line 3: ${shifted}`],
    ["a return outside of a function", "for a in b:\n    return a\n", "Line 2: return is outside of a function."],
    ["a break outside of a loop", "for a in b:\n    c()\nif c:\n    break\n", "Line 4: break is outside of a loop."],
    [
      "a continue of a loop around its function",
      "for a in b:\n    def c():\n        continue\n",
      "Line 3: continue is outside of a loop.",
    ],
    ["a parameter's name twice", "def a(b: int, *, c=1, **b):\n    pass\n", 'Line 1: two parameters are named "b".'],
  ])("is refused: %s", async (_, text, message) => expect(await found("a.py", text)).toEqual([`syntax: ${message}`]))

  it.each([
    ["several statements in a line", "if a: b = 1; c = 2\nelse:\n  d = 3\n  e = 4\n"],
    ["a comment at the line's start", "def a():\n    b = 1\n# c\n    return b\n"],
    ["a statement that goes on", "def a():\n    b = 1; \\\n  c = 2\n    return b\n"],
    ["a break in a match in a loop", "for a in b:\n    match a:\n        case 1:\n            break\nelse:\n    c()\n"],
    ["parameters with marks", "def a(b, /, c=1, *, d: int = 2, **e):\n    return lambda b: b\n"],
    ["a text over several lines", 'def a():\n    b = """\nc\n"""\n    return b\n'],
  ])("is sound: %s", async (_, text) => expect(await found("a.py", text)).toEqual([]))
})

describe("a picture as text", () => {
  it("is found", async () => {
    expect(await found("assets/logo.PNG", "A red circle")).toEqual([
      "not_text: A .png file can't be written as text. Draw it in an .svg file or with CSS, or omit it.",
    ])
  })

  it("is none where the format is text", async () => {
    expect(await found("logo.svg", '<svg xmlns="http://www.w3.org/2000/svg"/>')).toEqual([])
    expect(await found("a.pdf", "%PDF-1.4\n")).toEqual([])
  })
})

describe("a file that shrinks", () => {
  const before = "a { color: red }\n".repeat(186)

  it("by more than half is a fault, with both lengths", async () => {
    expect(await found("style.css", "b { color: blue }\n", before)).toEqual([
      "shrunk: The file shrank from 3,162 to 18 characters. Its earlier content must stay unless the task removes it, so write the whole file.",
    ])
  })

  it("by less, or from next to nothing, is none", async () => {
    expect(await found("style.css", before.slice(0, before.length / 2), before)).toEqual([])
    expect(await found("style.css", "", "a { color: red }\n")).toEqual(["empty_file: The file is empty."])
    expect(await found("a.txt", "short", "a".repeat(399))).toEqual([])
  })
})

describe("a comment that stands for what was left out", () => {
  it.each([
    ["a.css", "/* ... existing styles stay unchanged ... */"],
    ["a.js", "// ... existing code ..."],
    ["a.js", "// rest of the code remains the same"],
    ["a.jsx", "const a = <p>{/* ... other components ... */}</p>"],
    ["a.ts", "/* … keep existing functions … */"],
    ["a.py", "# ... rest of the file unchanged ..."],
    ["a.html", "<p><!-- ... rest of the page goes here ... --></p>"],
    ["a.go", "package a\n// ... remaining handlers unchanged"],
    ["a.rs", "// ... other methods omitted"],
    ["ci.yml", "a: 1\n# ... rest of the configuration unchanged\n"],
    ["Dockerfile", "# ... rest of the file as before\n"],
    ["a.js", "function f(a) {\n  // TODO: implement\n}\n"],
    ["a.ts", "const f = () => { // Your code here\n}\n"],
    ["a.py", "def f():\n    pass  # TODO implement this later\n"],
    ["a.rs", "fn f() {\n    // Implementation goes here.\n}\n"],
  ])("is found in %s: %s", async (path, text) => {
    expect(await found(path, text)).toEqual([
      expect.stringMatching(/^placeholder: Line [12]: ".*" is a placeholder for missing content/),
    ])
  })

  it.each([
    ["a.js", "// Existing code keeps its order.\nf()"],
    ["a.js", "function f() {\n  // TODO: implement\n  return g()\n}\n"],
    ["a.js", "function f() {\n  // Nothing to do here\n}\n"],
    ["a.js", "if (a) {\n  // TODO: implement\n}\n"],
    ["a.js", "// The rest of the arguments\nf()"],
    ["a.js", "f(/* ... */)"],
    ["a.js", '// The options, then\n// ... other methods\nf("// ... existing code ...")'],
    ["a.js", "// const app = 1\n// // ... other routes\n// app()\n"],
    ["a.py", "# TODO: other methods\n"],
    ["a.css", "/* Existing styles of the browser */"],
    ["ci.yml", "# Then\n# ... rest of the file\na: 1\n"],
    ["README.md", "<!-- ... existing code ... -->"],
  ])("is none in %s: %s", async (path, text) => expect(await found(path, text)).toEqual([]))

  it("is none where it was there before", async () => {
    const comment = "// ... existing code ...\n"
    expect(await found("a.js", `${comment}f()`, comment)).toEqual([])
  })
})

describe("a syntax error", () => {
  it.each([
    ["a.js", "f(1)\nconst a = {\n", 'Line 2: the "{" is never closed.'],
    ["a.js", "f(1)\n}\n", 'Line 2: unexpected "}" without an opening bracket.'],
    ["a.js", "f([1)\n", 'Line 1: unexpected ")": the "[" in line 1 is still open.'],
    ["a.js", "const a = {\n b: 1\n c: 2\n}\n", 'Line 3: syntax error at "c: 2".'],
    ["a.js", "const a = 1\nconst a = 2\n", "Line 2: Identifier 'a' has already been declared."],
    ["a.js", "import { a } from './a.js'\nimport { a } from './b.js'\n", expect.stringMatching(/^Line 2: .*declared/)],
    ["a.js", "export { missing }\n", expect.stringMatching(/^Line 1: .*missing.* is not defined/)],
    ["a.js", "function f() {\n  await g()\n}\n", expect.stringMatching(/^Line 2: /)],
    ["a.js", "f()\nbreak\n", expect.stringMatching(/^Line 2: /)],
    ["a.html", "<script>\nconst a = 1\nconst a = 2\n</script>\n", expect.stringMatching(/^Line 3: .*declared/)],
    ["a.mjs", "Then the file follows:\nf()\n", 'Line 1: syntax error at "Then the file".'],
    ["a.ts", "function f(a: number {\n return a\n}\n", 'Line 1: the "(" is never closed.'],
    ["a.ts", "let a: string\nconst b: = 3\n", 'Line 2: syntax error at "=".'],
    ["a.ts", "class A {\n  b: number\n  c() { return , }\n}\n", expect.stringMatching(/^Line 3: syntax error/)],
    ["a.mts", "Then the file follows:\nf()\n", expect.stringMatching(/^Line 1: syntax error/)],
    ["a.tsx", "const a = <p>\nconst b = 1\n", expect.stringMatching(/^Line [12]: /)],
    ["a.tsx", "export const A = () => <p>{b c}</p>\n", expect.stringMatching(/^Line 1: syntax error/)],
    ["a.tsx", "const a = <p>{b}</p>\n)\n", 'Line 2: unexpected ")" without an opening bracket.'],
    ["a.py", "x = [1, 2\ndef g():\n  pass\n", 'Line 1: the "[" is never closed.'],
    ["a.py", "\ndef f():\nreturn 1\n", "Line 2: an indented block must follow this line."],
    ["a.py", 'print "a"\n', "Line 1: print is a function: its argument needs parentheses."],
    ["a.css", "a { color: red;\nb { color: blue }\n", 'Line 1: the "{" is never closed.'],
    ["a.go", "package main\nfunc main() {\n", 'Line 2: the "{" is never closed.'],
    ["a.rs", "fn main() {\n  f(1;\n}\n", 'Line 3: unexpected "}": the "(" in line 2 is still open.'],
    ["A.java", "class A {\n  int f( { }\n}\n", 'Line 3: unexpected "}": the "(" in line 2 is still open.'],
    ["a.c", "int main() {\n  return 0;\n", 'Line 1: the "{" is never closed.'],
    ["a.cpp", "int main() {\n  f(1;\n}\n", 'Line 3: unexpected "}": the "(" in line 2 is still open.'],
    ["a.cs", "class A { void F() { }\n", 'Line 1: the "{" is never closed.'],
    ["a.php", "<?php\nfunction f( { }\n", 'Line 2: the "(" is never closed.'],
    ["a.json", '{\n  "a": 1,\n}\n', "Line 3: not valid JSON: Expected double-quoted property name."],
    ["a.json", '{\n  "a": 1\n', "Line 2: not valid JSON: Expected ',' or '}' after property value."],
    ["a.toml", "a = 1\nb = \n", "Line 2: not valid TOML: invalid value."],
    ["a.yml", "a:\n - b: [1\nc: 2\n", expect.stringMatching(/^Line 3: not valid YAML: Flow sequence .*\.$/)],
  ])("in %s is found: %j", async (path, text, message) => {
    const findings = await checkFile({ path, text })
    expect(findings.map(({ rule }) => rule)).toEqual(["syntax"])
    expect(findings[0]?.message).toEqual(message)
    expect(findings[0]?.message.startsWith(`Line ${findings[0].line}: `)).toBe(true)
  })

  it.each([
    ["zod.js", "export { nothing as null }\n"],
    ["a.ts", "interface A<in out T> { a: T }\n"],
    ["a.tsx", "interface A<in out T> { a: T }\n"],
    ["a.ts", "export type * from './a.ts'\nfunction f(): [line: string, number: number] {\n  return ['', 1]\n}\n"],
    ["a.ts", "interface F {\n  (a: string): void\n  <T extends {}>(\n    ...all: T[]\n  ): T\n}\n"],
    ["a.rs", "macro_rules! m { (~) => {}; }\nstruct A<T> where T: B;\n"],
    ["a.c", "#if A\nint f() {\n#else\nint g() {\n#endif\n}\n"],
    ["a.cpp", "MACRO(a, { f(1); })\nANOTHER(b) { }\n"],
    ["a.c", "/* ( */ char a[] = \"(\"; char b = '(';\nFOO(x y z)\n"],
    ["tsconfig.json", '{\n  // Strict\n  "a": 1,\n}\n'],
    ["chart.yaml", "a: {{ .Values.a }}\n"],
    ["a.py", "print >>file, 1\nasync def f(): ...\n"],
    ["a.min.js", "}}}}"],
    ["tests/fixtures/broken.js", "}}}}"],
    ["node_modules/a/index.js", "}}}}"],
  ])("is none in %s: %j", async (path, text) => expect(await found(path, text)).toEqual([]))
})

describe("any file", () => {
  it("that the demo model writes is sound", async () => {
    const all = Object.entries(recipeFiles)
    const some = all.filter((_, index) => index % cases({ usual: 6, deep: 1 }) === 0)
    expect((await Promise.all(some.map(([path, text]) => found(path, text)))).flat()).toEqual([])
  })

  it("can be checked, whatever it holds, and a finding is of a line that it has", async () => {
    const paths = ["a.js", "a.ts", "a.py", "a.css", "a.json", "a.yml", "a.toml", "a.go", "a.md", "a.html", "a.png"]
    const texts = Object.values(recipeFiles).filter((text) => text.length < 3000)
    const mutated = fc
      .tuple(fc.constantFrom(...texts), fc.nat(), fc.nat({ max: 40 }), fc.string({ unit: "binary", maxLength: 20 }))
      .map(([text, at, cut, added]) => {
        const start = at % (text.length + 1)
        return text.slice(0, start) + added + text.slice(start + cut)
      })
    const text = fc.oneof(mutated, fc.string({ unit: "binary", maxLength: 200 }))
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...paths),
        text,
        fc.option(text, { nil: undefined }),
        async (path, text, before) => {
          for (const { line = 1 } of await checkFile({ path, text, before })) {
            expect(line).toBeGreaterThan(0)
            expect(line).toBeLessThanOrEqual(text.split("\n").length)
          }
        },
      ),
      { numRuns: cases({ usual: 60, deep: 5000 }) },
    )
  })
})
