import { checkFile } from "@switchyard/core/work/checks/check-file"
import { describe, expect, it } from "vitest"

/** Returns the findings in a file as `rule: message`. */
async function found(path: string, text: string, before?: string): Promise<string[]> {
  const findings = await checkFile({ path, text, before })
  return findings.map(({ rule, message }) => `${rule}: ${message}`)
}

const css = "body {\n  margin: 0;\n}\n"
const page = "<!doctype html>\n<html>\n<body>\n<p>A</p>\n</body>\n</html>\n"

describe("the words around a file in an answer", () => {
  it.each([
    [
      "before a stylesheet",
      "style.css",
      `Here is the stylesheet:\n\n${css}`,
      `1: "Here is the stylesheet:" isn't part`,
    ],
    [
      "before it, without a colon",
      "style.css",
      `Here's the updated file\n${css}`,
      "1: \"Here's the updated file\" isn't part",
    ],
    ["before a page", "index.html", `Sure! This is the page.\n\n${page}`, `1: "Sure! This is the page." isn't part`],
    ["before a list of packages", "requirements.txt", "Here are they:\nflask\n", `1: "Here are they:" isn't part`],
    ["before a title", "README.md", "Here is the README:\n\n# A\n", `1: "Here is the README:" isn't part`],
    [
      "after a stylesheet",
      "style.css",
      `${css}\nThis makes the page calm.\n`,
      `5: "This makes the page calm." isn't part`,
    ],
    ["after a page", "index.html", `${page}\nThis page shows a letter.\n`, `8: "This page shows a letter." isn't part`],
    ["after C", "a.c", "int a;\n\nIt declares one number.\n", `3: "It declares one number." isn't part`],
    ["of a call's end", "README.md", "# A\n\nTakes notes.\n</content>\n", `4: "</content>" isn't part of the file.`],
    ["of a page's script", "app.js", "<script>\nf()\n</script>\n", `1: "<script>" isn't part of the file.`],
    ["instead of it", "README.md", "I'm sorry, I can't help with that.\n", "1: the file begins with a refusal."],
  ])("are found: %s", async (_, path, text, message) => {
    expect(await found(path, text)).toEqual([expect.stringContaining(`stray_text: Line ${message}`)])
  })

  it.each([
    ["a.css", `${css}\`\`\`\n`],
    ["a.rs", "fn main() {}\nfn a() {}\n```\n"],
    ["requirements.txt", "flask\nrequests\n~~~\n"],
  ])("are found where they are a last fence: %s", async (path, text) => {
    const line = text.split("\n").length - 1
    expect(await found(path, text)).toEqual([
      `markdown_fence: Line ${line}: a Markdown fence ends the file. Save only the text before it.`,
    ])
  })

  it.each([
    ["a letter", "letter.md", "I'm sure you know this.\n\nHere is what we did:\n\n- A\n"],
    ["a text that begins so", "notes.txt", "Here is the list:\n\nmilk\n"],
    ["a last fence of prose", "README.md", "# A\n\n```sh\nnpm start\n```\n"],
    ["a comment", "a.css", `/* Here is the page's style: */\n${css}\n/* This ends it here. */\n`],
    ["an element of that name", "index.html", "<!doctype html>\n<content>\n<p>A\n</content>\n"],
    ["a text of several lines", "a.py", 'a = """\nA\n\nThis is a long text.\n"""\n'],
    ["what was there before", "style.css", `Here is the stylesheet:\n\n${css}a {\n  margin: 0;\n}\n`],
  ])("are none: %s", async (does, path, text) => {
    const before = does.startsWith("what was") ? `Here is the stylesheet:\n\n${css}` : undefined
    const faults = await found(path, text, before)
    expect(faults.filter((fault) => fault.startsWith("stray_text"))).toEqual([])
  })
})

describe("a stylesheet of which a browser drops a part", () => {
  it.each([
    ["a sentence for a selector", `All buttons are green now.\n\n${css}`, "Line 1: ", "can't be parsed as a selector"],
    ["an element around it", `<style>\n${css}</style>\n`, 'Line 1: "<style>" can\'t be parsed as a selector.'],
    ["a comment of another language", `// The page\n${css}`, 'Line 1: "// The page" can\'t be parsed as a selector.'],
    [
      "a semicolon too few",
      "a {\n  color: red\n  margin: 0;\n}\n",
      'Line 2: ";" is missing between "color" and "margin".',
    ],
    ["a variable of Sass", `$a: red;\n${css}`, 'Line 1: "$a: red;" can\'t be parsed as a selector.'],
    ["no colon", "a {\n  margin 0;\n}\n", 'Line 2: "margin 0;" can\'t be parsed as CSS.'],
  ])("is found: %s", async (_, text, ...parts) => {
    const faults = await found("style.css", text)
    expect(faults).toHaveLength(1)
    for (const part of parts) expect(faults[0]).toContain(part)
  })

  it.each([
    [
      "nesting",
      ".a {\n  color: red;\n  &:hover { color: blue }\n  .b { margin: 0 }\n  > li { margin: 0 }\n  b { margin: 0 }\n}",
    ],
    [
      "layers and containers",
      "@layer a, b;\n@container c (min-width: 3em) { a:has(> b) { inset: 0 auto } }\n@scope (.a) to (.b) { i { top: 0 } }",
    ],
    [
      "ranges and colours",
      "@media (400px <= width <= 700px) { a { color: oklch(from red l c h / 50%); width: calc((1px + 2%) * var(--a, )) } }",
    ],
    [
      "values that aren't known",
      "a {\n  filter: alpha(opacity=50);\n  *zoom: 1;\n  width: if(style(--x: 1): 2px; else: 3px);\n}",
    ],
    ["custom properties", ":root {\n  --a: { b: c };\n  --b:;\n  --c: a\n    b: c;\n}"],
    [
      "Tailwind",
      '@import "tailwindcss";\n@theme inline { --a: b }\n@utility c { color: --theme(a, b) }\n.d { @apply e; }',
    ],
    [
      "a list over several lines",
      'a {\n  grid-template-areas:\n    "a b"\n    "c d";\n  transition:\n    color 1s,\n    top 2s\n}',
    ],
  ])("is sound: %s", async (_, text) => expect(await found("style.css", text)).toEqual([]))
})

describe("data that readers refuse, or of which they drop a part", () => {
  it.each([
    [
      "package.json",
      '{\n  "scripts": {},\n  "scripts": {}\n}\n',
      'duplicate_key: Line 3: the key "scripts" is repeated',
    ],
    ["package.json", '["a"]\n', "syntax: Line 1: the file must contain a single JSON object."],
    ["ci.yml", "on: push\njobs:\n  a: 1\n  a: 2\n", 'duplicate_key: Line 4: the key "a" is repeated'],
    ["tsconfig.json", '{\n  // Strict\n  "compilerOptions": {\n', "syntax: Line 3: not valid JSON"],
    ["logo.svg", '<svg>\n<path d="a > b"/>\n<g>\n</svg>\n', "syntax: Line 4: </svg> closes <g>."],
    ["pom.xml", "<project>\n  <name>A</name>\n", "syntax: Line 1: <project> is never closed."],
    ["a.xml", "<a>\n  <b\n", "syntax: Line 2: the tag <b> has no end."],
    [
      "Makefile",
      "build: a.o\n    cc a.o\n",
      "syntax: Line 2: a command is indented with spaces, but make requires a tab.",
    ],
  ])("is found in %s: %s", async (path, text, message) => {
    expect(await found(path, text)).toEqual([expect.stringContaining(message)])
  })

  it.each([
    ["package.json", '{ "a": { "b": 1 }, "c": { "b": 1 } }'],
    ["tsconfig.json", '{\n  /* Strict */\n  "strict": true, // "yes"\n  "paths": { "@/*": ["a//b", "/*c"], },\n}\n'],
    ["a.yml", "a: &a\n  b: 1\nc:\n  <<: *a\n  <<: *a\n"],
    ["a.yml", "a: 1\n---\na: 2\n"],
    [
      "logo.svg",
      '<?xml version="1.0"?>\n<!DOCTYPE svg [<!ENTITY a "b">]>\n<!-- <g> -->\n<svg><style><![CDATA[a > b]]></style></svg>\n',
    ],
    ["Makefile", "A = b\nbuild: a.o \\\n    b.o\n\tcc a.o\nifdef A\n  B := c\nendif\nC: d\n  E = f\n"],
  ])("is sound in %s: %s", async (path, text) => expect(await found(path, text)).toEqual([]))
})

describe("code that a compiler refuses", () => {
  const c = "int main(void) {\n  int a = 5\n  return a;\n}\n"
  it.each([
    ["a.c", c, 'Line 2: ";" is missing after "int a = 5".'],
    ["a.cpp", `class A {\n  int b;\n}\n\n${c.replace("5", "5;")}`, 'Line 3: ";" is missing after "}".'],
    [
      "A.cs",
      "class A {\n  int B() {\n    var c = D(1)\n    return c;\n  }\n}\n",
      'Line 3: ";" is missing after "var c = D(1)".',
    ],
    ["a.rs", "fn main() {\n    let a = 5\n    f(a);\n}\n", "Line 2: syntax error at"],
    ["a.rs", "fn main() {}\n\nNothing else is here.\n", "Line 3: syntax error"],
    [
      "a.go",
      'package a\n\nimport (\n\t"fmt"\n\t"os"\n)\n\nfunc F() { os.Exit(1) }\n',
      'Line 4: "fmt" is imported and not used.',
    ],
    [
      "src/Store.java",
      "package a;\n\npublic class Shop {\n}\n",
      "Line 3: the public type Shop must be in a file named Shop.java",
    ],
    [
      "index.html",
      "<!doctype html>\n<html>\n<body>\n<main>\n<ul><li>A</ul>\n<p>B\n",
      'Line 4: "<main>" is never closed',
    ],
  ])("is found in %s: %s", async (path, text, message) => {
    expect(await found(path, text)).toEqual([expect.stringContaining(`syntax: ${message}`)])
  })

  it.each([
    [
      "a.c",
      "#define ON 1\nenum a {\n  B = 1,\n  C = 2\n};\nint d(void) {\n  FOREACH(x)\n    f(x);\n  int e = 1 +\n    2;\n  return e\n    + 3;\n}\n",
    ],
    ["a.cpp", "struct A {\n  int b;\n} c;\n\nEXPORT int d() { return 0; }\n"],
    ["a.rs", 'macro_rules! m { ($a:expr) => { $a } }\nfn main() { let r#try = 1; println!("{}", r#try); }\n'],
    [
      "a.go",
      'package a\n\nimport (\n\t"math/rand/v2"\n\tx "fmt"\n\t_ "embed"\n\t"gopkg.in/yaml.v3"\n)\n\nfunc F() { x.Print(rand.Int(), yaml.A) }\n',
    ],
    ["Store.java", "class Shop {\n}\n\npublic record Store(int a) {\n  public static class Other {}\n}\n"],
    ["index.html", "<!doctype html>\n<html>\n<body>\n<ul>\n<li>A\n</ul>\n<p>B\n"],
  ])("is sound in %s: %s", async (path, text) => expect(await found(path, text)).toEqual([]))
})
