import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname } from "node:path"
import { gzipSync } from "node:zlib"
import { transformSync } from "esbuild"

/** Keeps only zod's English messages. The messages in all languages take up a quarter of a megabyte. */
const zodInEnglish = {
  name: "zod-in-english",
  setup(build) {
    // SST doesn't match narrower filters with any path, so accept all paths and check them below.
    build.onLoad({ filter: /.*/ }, ({ path }) => {
      if (!/[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/.test(path)) return undefined
      return { contents: 'export { default as en } from "./en.js"', loader: "js", resolveDir: dirname(path) }
    })
  },
}

/** Embeds the demo model's recipes in the bundle. In a checkout, the demo model reads them from disk. */
const recipesInside = {
  name: "recipes-inside",
  setup(build) {
    build.onLoad({ filter: /.*/ }, ({ path }) => {
      if (!/[\\/]demo-model[\\/]src[\\/]recipe-files\.ts$/.test(path)) return undefined
      const { recipeFiles } = createRequire(import.meta.url)(path)
      return { contents: `export const recipeFiles = ${JSON.stringify(recipeFiles)}`, loader: "js" }
    })
  },
}

/**
 * Embeds the compressed grammars in the bundle, each in a file that is loaded on demand. In a checkout, the grammars
 * are read from their packages.
 */
const grammarsInside = {
  name: "grammars-inside",
  setup(build) {
    build.onLoad({ filter: /.*/ }, ({ path }) => {
      if (path.endsWith(".wasm")) {
        const packed = gzipSync(readFileSync(path), { level: 9 }).toString("base64")
        return { contents: `export const packed = ${JSON.stringify(packed)}`, loader: "js" }
      }
      if (!/[\\/]files[\\/]symbols[\\/]grammar-files\.ts$/.test(path)) return undefined
      const files = [...readFileSync(path, "utf8").matchAll(/^ {2}(\w+): ("\S+\.wasm"),$/gm)]
      const contents = [
        'import { gunzipSync } from "node:zlib"',
        `const files = {${files.map(([, name, file]) => `${name}: () => import(${file})`).join(", ")}}`,
        'export const readWasm = async (name) => gunzipSync(Buffer.from((await files[name]()).packed, "base64"))',
      ]
      return { contents: contents.join("\n"), loader: "js", resolveDir: dirname(path) }
    })
  },
}

/**
 * Embeds the scripts for previewed pages as text, because a page receives a function's source. A bundler that keeps
 * names makes each inner function call an outer one, which the page doesn't have. Therefore, these files become text
 * before bundling. The callback is synchronous, because SST might not wait for a promise.
 */
const pageScriptsAsText = {
  name: "page-scripts-as-text",
  setup(build) {
    build.onLoad({ filter: /.*/ }, ({ path }) => {
      if (!/[\\/]previews[\\/]in-page[\\/][\w-]+\.ts$/.test(path)) return undefined
      const { code } = transformSync(readFileSync(path, "utf8"), { loader: "ts", target: "es2024", minify: true })
      const [, name] = /^export (?:async )?function (\w+)/.exec(code) ?? []
      if (name === undefined) throw new Error(`${path} must contain exactly one function.`)
      return { contents: `export const ${name} = ${JSON.stringify(code.replace(/^export /, ""))}`, loader: "js" }
    })
  },
}

/** Removes zod features that we don't use: reading JSON Schema and compiling schemas. */
const zodWithoutExtras = {
  name: "zod-without-extras",
  setup(build) {
    build.onLoad({ filter: /.*/ }, ({ path }) => {
      const [, name] = /[\\/]zod[\\/]v4[\\/](classic[\\/]from-json-schema|core[\\/]compile)\.js$/.exec(path) ?? []
      if (name === undefined) return undefined
      const exported = [...readFileSync(path, "utf8").matchAll(/^export (?:const|class|(?:async )?function) (\w+)/gm)]
      return { contents: exported.map(([, one]) => `export const ${one} = undefined`).join("\n"), loader: "js" }
    })
  },
}

/**
 * Lets bundlers remove unused operations of AWS clients. The clients describe every operation in objects with computed
 * keys (`[_xN]: …`). Bundlers keep such objects even if unused, because a computed key could have side effects. With
 * literal keys, they can be removed.
 */
const awsSchemasShaken = {
  name: "aws-schemas-shaken",
  setup(build) {
    build.onLoad({ filter: /.*/ }, ({ path }) => {
      if (!/[\\/]@aws-sdk[\\/]client-[^\\/]+[\\/]dist-es[\\/]schemas[\\/]schemas_0\.js$/.test(path)) return undefined
      const text = readFileSync(path, "utf8")
      const constants = new Map(
        [...text.matchAll(/^const (_\w+) = ("[^"\\]*");$/gm)].map(([, name, value]) => [name, value]),
      )
      const contents = text.replaceAll(/\[(_\w+)\]:/g, (key, name) => `${constants.get(name) ?? key.slice(0, -1)}:`)
      return { contents, loader: "js", resolveDir: dirname(path) }
    })
  },
}

/** Plugins for every bundle of functions, whether built by SST, the tests or the rehearsal. */
// biome-ignore lint/style/noDefaultExport: the SST tool looks for it
export default [zodInEnglish, zodWithoutExtras, recipesInside, grammarsInside, pageScriptsAsText, awsSchemasShaken]
