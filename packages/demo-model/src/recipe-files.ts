import { readdirSync, readFileSync } from "node:fs"
import { withoutTypes } from "./without-types.ts"

/**
 * The files in `recipes/` by path, including a JavaScript version of each TypeScript file that doesn't have one. In
 * bundles, the module is replaced by this object: see `infra/plugins.mjs` and `tools/build-programs.mjs`.
 */
export const recipeFiles: Readonly<Record<string, string>> = withJavaScript(
  readFolder(new URL("../recipes/", import.meta.url)),
)

function readFolder(folder: URL): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((path) => path.replaceAll("\\", "/"))
  const paths = entries.filter((path) => /\.(ts|js|py|html|css|md)$/.test(path))
  return Object.fromEntries(paths.map((path) => [path, readFileSync(new URL(path, folder), "utf8")]))
}

function withJavaScript(files: Record<string, string>): Record<string, string> {
  const scripts = Object.entries(files).filter(([path]) => path.endsWith(".ts"))
  const derived = scripts.map(([path, text]) => [path.replace(/ts$/, "js"), withoutTypes(text)])
  return { ...Object.fromEntries(derived), ...files }
}
