import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { brotliCompressSync, gzipSync } from "node:zlib"
import tailwindcss from "@tailwindcss/vite"
import react from "@vitejs/plugin-react"
import { defineConfig, type Plugin } from "vite"
import { openingQueries } from "./src/session/stream/pages.ts"

/** The address of the API while the studio is being worked on. */
const API = process.env.SWITCHYARD_API ?? "http://127.0.0.1:3000"
const API_PATHS = /^\/(api\/|v1\/|workspace\/|prompts\/|graph\/|health|status|config\.json|openapi\.json|logout|ws\/)/

/** The parts of the studio that are loaded together: dozens of tiny files otherwise, each a request. The first that a module matches has it. */
const GROUPS = [
  { name: "index", tags: ["$initial" as const] },
  shared(
    "session",
    /web\/src\/session\/(stream|view|connection)\/|workflow\/(nodes|element-limits-schema)\.|clis\/titles\.|elements\/element-name|ui\/(plain-text|session-icons)/,
  ),
  shared("icons", /ui\/more-icons/),
  shared("schemas", /core\/src\/(.*schema\.ts$|agents\/clis\/)|node_modules\/zod\//),
  together(
    "requests",
    /core\/src\/(agents\/questions\/schema|work\/chat\/request-schema|work\/teams\/(request-schema|triggers\/trigger-requests))\./,
  ),
  shared("fields", /ui\/(field|checkbox|secret-field|key-field)\.|actions\/check-commands|access\/gate/),
  shared("windowing", /node_modules\/virtua\//),
  shared(
    "conversation",
    /ui\/(long-text|use-stick-to-bottom|unread-button|use-current-in-sight)\.|conversation\/(message-|use-expanded|stop-button)/,
  ),
  shared("tiny", /worktree\/(use-change-keys|counts)|ui\/file-button/),
  shared("small", /editor\/language\.|stream\/agent-text|ui\/use-grown-above|actions\/write-archive/),
  shared("headlines", /core\/src\/work\/headlines\//),
  together("command-palette", /command-palette\/(command-palette|help-dialog)|ui\/search-dialog/),
  together("code", /editor\/(code-theme|line-colors)/),
  together("session-screen", /session\/session-screen/),
  together("app", /panes\/app-pane|preview\/preview-pane/),
  together("transcript", /conversation\/transcript\./),
  together("outcome", /conversation\/(check-card|note-card|try-it|check-commands-dialog)/),
  together("costs", /conversation\/run-price|usage\/(budget-subjects|build-cost)/),
  together("files", /panes\/code-pane|files\/(tree-pane|editor-pane|files-view)/),
  together("compare", /editor\/(minimal-edits|compare-view)/),
  // Apart from what needs the schemas, which are large.
  shared("reviewers", /home\/(use-agents|reviewer-choice)/),
  shared("diff", /features\/changes\/diff\//),
  shared("agent-parts", /features\/home\/|session\/(actions\/start-agent|thread\/roster)/),
  shared("agent-messages", /features\/terminal\//),
  together("task-forms", /home\/(agent-form|chat-form|team-form|bake-off-dialog)/),
  together("budgets", /usage\/(meter|budget-fields|use-work-budgets|work-budget-dialog|session-budget|account-limits)/),
  together("questions", /questions\/(session-questions|questions-screen)|board\/answer-dialog/),
  together("keys", /models\/(key-(dialog|form|place)|use-save-key|model-dialog)\.|accounts\/login-dialog/),
  together("versions", /features\/versions\//),
  together("session-dialogs", /sessions\/session-dialogs|session\/reset-dialog|board\/delete-sessions-dialog/),
  together("access", /access\/(gone-session|connect-screen|login-screen)/),
  together("user-menu", /user-menu|use-sign-out/),
  together("publish", /publish\/(push|publish)-dialog/),
  together("guide", /guide\/(guide|about)-screen/),
  together("chat-dialogs", /chat\/(map|review|history|snippets)-dialog/),
  together("team-view", /team\/team-view/),
  together("team-dialogs", /team\/\w+\/(add-worker|add-node|node)-dialog/),
]

/** Those of these that two parts or more use, as one file. */
function shared(name: string, test: RegExp) {
  return { name, test, minShareCount: 2 }
}

/** These and what only they need, as one file: whoever wants one of them mostly wants the others soon. */
function together(name: string, test: RegExp) {
  return { name, test }
}

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
          groups: GROUPS,
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

/** The parts that the first screen of an address needs, besides those of every page; and the run screen's first pane. */
const FIRST_SCREENS = { home: ["landing"], session: ["session-screen", "transcript"], run: ["app"] }

const TEXT_FONT = /atkinson-hyperlegible-next-[^/]*\.woff2$/

/** Names them in the page, so that a browser loads them at once, and not when the code before has run. */
function preloaded(): Plugin {
  return {
    name: "preloaded",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler: (html, { bundle = {} }) => {
        const chunks = Object.values(bundle).filter((part) => part.type === "chunk")
        // A group of files that have moved would match nothing, and nobody would notice.
        for (const group of GROUPS) if (!chunks.some(({ name }) => name === group.name)) missing(group.name)
        const filesOf = (names: string[]) => {
          const files = new Set(
            names.map((part) => chunks.find(({ name }) => name === part)?.fileName ?? missing(part)),
          )
          for (const file of files) {
            for (const further of chunks.find(({ fileName }) => fileName === file)?.imports ?? []) files.add(further)
          }
          return [...files].map((file) => `/${file}`).filter((file) => !html.includes(`"${file}"`))
        }
        const { home, session, run } = FIRST_SCREENS
        const ofSession = filesOf(session)
        const parts = {
          home: filesOf(home),
          session: ofSession,
          run: filesOf(run).filter((file) => !ofSession.includes(file)),
          log: openingQueries(),
        }
        // Text isn't drawn in another font first, because it would move when its own font arrives.
        const [font = missing("text font")] = Object.keys(bundle).filter((name) => TEXT_FONT.test(name))
        const preload = `<link rel="preload" as="font" type="font/woff2" crossorigin href="/${font}" />`
        return html.replace("</head>", `${preload}</head>`).replace(PARTS, JSON.stringify(parts))
      },
    },
  }
}

const PARTS = "{ home: [], session: [], run: [], log: [] }"

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
