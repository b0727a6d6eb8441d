import { readdirSync, readFileSync } from "node:fs"

/** The files of `recipes/`, by their paths from there. `infra/plugins.mjs` puts them in the place of this module in a bundle. */
export const recipeFiles: Readonly<Record<string, string>> = readFolder(new URL("../recipes/", import.meta.url))

function readFolder(folder: URL): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((path) => path.replaceAll("\\", "/"))
  const paths = entries.filter((path) => /\.(ts|js|py|html|css|md)$/.test(path))
  return Object.fromEntries(paths.map((path) => [path, readFileSync(new URL(path, folder), "utf8")]))
}
