import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { brotliCompressSync, gzipSync } from "node:zlib"
import tailwindcss from "@tailwindcss/vite"
import react from "@vitejs/plugin-react"
import { defineConfig, type Plugin } from "vite"

/** The address of the API while the studio is being worked on. */
const API = process.env.SWITCHYARD_API ?? "http://127.0.0.1:3000"
const API_PATHS = /^\/(api\/|v1\/|workspace\/|prompts\/|graph\/|health|status|config\.json|openapi\.json|logout|ws\/)/

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss(), preloaded(), compressed()],
  build: {
    target: "es2023",
    sourcemap: false,
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 400,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          // Dozens of tiny files otherwise, each a request of its own.
          groups: [
            { name: "index", tags: ["$initial"] },
            { name: "schemas", test: /core\/src\/.*schema\.ts$|node_modules\/zod\//, minShareCount: 2 },
            { name: "session", test: /web\/src\/session\/(stream|view|connection)\//, minShareCount: 2 },
            {
              name: "fields",
              test: /web\/src\/ui\/(field|checkbox|secret-field|select-field|confirm-dialog|form-dialog)\.tsx$/,
              minShareCount: 2,
            },
            {
              name: "conversation",
              test: /web\/src\/(features\/conversation\/long-text|features\/run\/log\/use-stick-to-bottom|ui\/unread-button)\./,
              minShareCount: 2,
            },
            {
              name: "palette",
              test: /features\/command-palette\/|ui\/search-dialog|node_modules\/cmdk/,
              minShareCount: 2,
            },
          ],
        },
      },
    },
  },
  server: {
    proxy: {
      [API_PATHS.source]: { target: API, changeOrigin: true, headers: { origin: API }, ws: true },
      "^/login$": {
        target: API,
        changeOrigin: true,
        headers: { origin: API },
        bypass: ({ method }) => (method === "GET" ? "/index.html" : null),
      },
    },
  },
})

/** The parts that the first screen of an address needs, besides those of every page. */
const FIRST_SCREENS = { home: ["landing"], session: ["session-screen", "transcript"] }

/** Names them in the page, so that a browser loads them at once, and not when the code before has run. */
function preloaded(): Plugin {
  return {
    name: "preloaded",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler: (html, { bundle = {} }) => {
        const chunks = Object.values(bundle).filter((part) => part.type === "chunk")
        const parts = Object.entries(FIRST_SCREENS).map(([screen, names]) => {
          const files = new Set(
            names.map((part) => chunks.find(({ name }) => name === part)?.fileName ?? missing(part)),
          )
          for (const file of files) {
            for (const further of chunks.find(({ fileName }) => fileName === file)?.imports ?? []) files.add(further)
          }
          return [screen, [...files].map((file) => `/${file}`).filter((file) => !html.includes(`"${file}"`))]
        })
        return html.replace(PARTS, JSON.stringify(Object.fromEntries(parts)))
      },
    },
  }
}

const PARTS = "{ home: [], session: [] }"

function missing(part: string): never {
  throw new Error(`The build has no part of the name ${part}.`)
}

/** Compressed once, when built, so that no server has to. */
function compressed(): Plugin {
  return {
    name: "compressed",
    apply: "build",
    writeBundle: ({ dir = "" }) => {
      for (const name of readdirSync(dir, { recursive: true, encoding: "utf8" })) {
        if (!/\.(js|css|svg)$/.test(name)) continue
        const bytes = readFileSync(join(dir, name))
        writeFileSync(join(dir, `${name}.br`), brotliCompressSync(bytes))
        writeFileSync(join(dir, `${name}.gz`), gzipSync(bytes, { level: 9 }))
      }
    },
  }
}
