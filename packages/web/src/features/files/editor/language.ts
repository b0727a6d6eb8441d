import type { LanguageSupport } from "@codemirror/language"

const languages = {
  javascript: async () => (await import("@codemirror/lang-javascript")).javascript({ jsx: true }),
  typescript: async () => (await import("@codemirror/lang-javascript")).javascript({ typescript: true }),
  tsx: async () => (await import("@codemirror/lang-javascript")).javascript({ typescript: true, jsx: true }),
  json: async () => (await import("@codemirror/lang-json")).json(),
  css: async () => (await import("@codemirror/lang-css")).css(),
  html: async () => (await import("@codemirror/lang-html")).html(),
  markdown: async () => (await import("@codemirror/lang-markdown")).markdown(),
  python: async () => (await import("@codemirror/lang-python")).python(),
} satisfies Record<string, () => Promise<LanguageSupport>>

export type LanguageId = keyof typeof languages

const byExtension = new Map<string, LanguageId>([
  ...["js", "mjs", "cjs", "jsx"].map((extension) => [extension, "javascript"] as const),
  ...["ts", "mts", "cts"].map((extension) => [extension, "typescript"] as const),
  ["tsx", "tsx"],
  ...["json", "jsonc", "webmanifest", "map"].map((extension) => [extension, "json"] as const),
  ...["css", "scss", "less"].map((extension) => [extension, "css"] as const),
  ...["html", "htm", "xhtml", "svg", "xml", "vue", "svelte"].map((extension) => [extension, "html"] as const),
  ...["md", "markdown", "mdx"].map((extension) => [extension, "markdown"] as const),
  ...["py", "pyi", "pyw"].map((extension) => [extension, "python"] as const),
])

/** Returns the language implied by a file's name; null if it is unknown. */
export function languageOf(path: string): LanguageId | null {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase()
  const dot = name.lastIndexOf(".")
  return dot < 0 ? null : (byExtension.get(name.slice(dot + 1)) ?? null)
}

/** Loads the editor's support for a language, when the first file in that language is opened. */
export function loadLanguage(id: LanguageId): Promise<LanguageSupport> {
  return languages[id]()
}
