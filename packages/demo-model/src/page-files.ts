import type { Project, ProjectFile, Recipe } from "./project.ts"
import type { RecipeSource } from "./recipe-source.ts"
import { quoted } from "./substitute.ts"

/**
 * Returns the files of a page that doesn't need a build. In JavaScript, the script isn't a module, so that the page can
 * also be opened from a folder. In TypeScript, the server strips the types.
 */
export function pageFiles({ module }: Recipe, source: RecipeSource, { language }: Project): ProjectFile[] {
  const isPlain = language === "javascript"
  const extension = isPlain ? "js" : "ts"
  const text = (name: string) => source.text(`${name}.${extension}`)
  const script = pageScript(text(module), text("elements"), text("page"))
  const tests = pageTests(text(`${module}.test`), text("script.test"), { isPlain })
  const html = source.text("index.html").replace("    </main>", (end) => source.text("main.html") + end)
  return [
    { path: "index.html", purpose: "The page.", content: html },
    {
      path: "styles.css",
      purpose: "Its looks, in light and dark, on small and large screens.",
      content: source.text("styles.css"),
    },
    {
      path: `script.${extension}`,
      purpose: "What the page does: functions on top, their use on the page below.",
      content: isPlain ? plainScript(script) : script,
    },
    {
      path: `script.test.${extension}`,
      purpose: "Tests what the script does, and that the page has what it needs.",
      content: tests,
    },
    { path: `serve.${extension}`, purpose: "Serves the page on a port.", content: text("serve") },
  ]
}

/** Returns a single script: the module, the shared functions imported by the page, and the page itself. */
export function pageScript(module: string, shared: string, page: string): string {
  const names =
    page
      .split("\n")
      .find((line) => line.includes("/elements."))
      ?.match(/\w+/g) ?? []
  const used = shared.split(/(?<=\n)\n/).filter((part) => names.some((name) => part.includes(`function ${name}`)))
  return [module, ...used.map((part) => part.replace("export ", "")), page.replace(/^(import .*\n)+\n/, "")].join("\n")
}

/** Removes the exports, which aren't allowed in a script that isn't a module. */
export function plainScript(text: string): string {
  return text.replace(/^export /gm, "")
}

/** Returns the module's tests and the page's. Both test the page's script; a plain one has no exports to import. */
export function pageTests(moduleTests: string, pageTest: string, { isPlain }: { isPlain: boolean }): string {
  const [imports, tests] = splitAtFirstTest(moduleTests)
  const [head, own] = splitAtFirstTest(pageTest)
  const imported = imports.split("\n").find((line) => line.includes('"./')) ?? ""
  const access = isPlain
    ? `import { runInThisContext } from ${quoted("node:vm")}`
    : imported.replace(/"\..*"/, '"./script.ts"')
  const start = head.replace("\n\n", `\n${access}\n\n`)
  return `${start}${isPlain ? RUN_SCRIPT : ""}${tests}\n${own}`
}

const RUN_SCRIPT = `// The page loads a plain script, so that it opens without a server: its functions are globals.
runInThisContext(read("./script.js"))

`

function splitAtFirstTest(text: string): [before: string, tests: string] {
  const at = text.indexOf("\ntest(") + 1
  return [text.slice(0, at), text.slice(at)]
}
