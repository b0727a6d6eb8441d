import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { brotliCompressSync, gzipSync } from "node:zlib"
import tailwindcss from "@tailwindcss/vite"
import react from "@vitejs/plugin-react"
import { defineConfig, type Plugin } from "vite"

/** Where the API answers while the studio is being worked on. */
const API = process.env.SWITCHYARD_API ?? "http://127.0.0.1:3000"
const API_PATHS = /^\/(api\/|v1\/|workspace\/|prompts\/|graph\/|health|status|config\.json|openapi\.json|logout|ws\/)/

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss(), compressed()],
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
            { name: "icons", test: /lucide-react/, minShareCount: 2 },
            { name: "fields", test: /src\/ui\/(field|checkbox|secret-field|confirm-dialog)\.tsx$/, minShareCount: 2 },
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
