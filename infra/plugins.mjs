import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname } from "node:path"
import { gzipSync } from "node:zlib"
import { transformSync } from "esbuild"

/** zod knows fifty languages, a quarter of a megabyte of them, and of these we speak one. */
const zodInEnglish = {
  name: "zod-in-english",
  setup(build) {
    // The SST tool matches its filters against no path at all, so this one lets everything pass.
    build.onLoad({ filter: /.*/ }, ({ path }) => {
      if (!/[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/.test(path)) return undefined
      return { contents: 'export { default as en } from "./en.js"', loader: "js", resolveDir: dirname(path) }
    })
  },
}

/** The demo model reads its recipes from the disk. A bundle has no folder of them beside it, so it contains them. */
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

/** Grammars are read from their packages; a bundle holds them itself, compressed, each in a file that is loaded when it is needed. */
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
 * What runs in previewed pages is sent to them as the text of a function. A bundler that keeps names has each function inside of it
 * call one that is outside, so these files become that text before. At once: the SST tool may not wait for it.
 */
const pageScriptsAsText = {
  name: "page-scripts-as-text",
  setup(build) {
    build.onLoad({ filter: /.*/ }, ({ path }) => {
      if (!/[\\/]previews[\\/]in-page[\\/][\w-]+\.ts$/.test(path)) return undefined
      const { code } = transformSync(readFileSync(path, "utf8"), { loader: "ts", target: "es2024", minify: true })
      const [, name] = /^export function (\w+)/.exec(code) ?? []
      if (name === undefined) throw new Error(`${path} isn't one function.`)
      return { contents: `export const ${name} = ${JSON.stringify(code.replace(/^export /, ""))}`, loader: "js" }
    })
  },
}

/** zod can also read JSON Schema and compile schemas, neither of which anybody here has it do. */
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
 * The AWS clients describe every operation in objects whose keys are constants (`[_xN]: …`). A bundler keeps such an object
 * even where nobody uses it, for a computed key could have a side effect; with the key written out, it can leave it away.
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

/** What bundles functions here does, whether it is the SST tool, a test or the rehearsal. */
// biome-ignore lint/style/noDefaultExport: the SST tool looks for it
export default [zodInEnglish, zodWithoutExtras, recipesInside, grammarsInside, pageScriptsAsText, awsSchemasShaken]
