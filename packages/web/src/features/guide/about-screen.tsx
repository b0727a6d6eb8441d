import type { ReactNode } from "react"
import { paths } from "../../session/context/routes.ts"
import { useStudio } from "../../session/context/studio.ts"
import { A, Page, To } from "./prose.tsx"

/** What this is, whose it is, and who sees what is made with it. */
export function AboutScreen() {
  const { config, api } = useStudio()
  return (
    <Page title="About Switchyard">
      <p>
        Switchyard is a coding-agent studio that runs on your own machine or in your own AWS account. You say what you
        want built, and a planner, an architect and a coder make it file by file, where you can see it. Or you put
        Claude Code, Codex or another agent to work in a repository, watch its terminal, and merge what it changed.
      </p>

      <dl className="my-6 border-b border-line">
        <Fact name="Version">{config.version}</Fact>
        <Fact name="Set up for">{config.app_env}</Fact>
        <Fact name="Model">
          <span className="font-mono text-sm">{config.default_model}</span>
          {config.demo && (
            <span className="block text-sm text-ink-3">A script that stands in for a model until there is a key</span>
          )}
        </Fact>
        <Fact name="Log-in">{config.auth_mode === "open" ? "none: this machine only" : "by token"}</Fact>
        <Fact name="Licence">Apache-2.0</Fact>
      </dl>

      <h2>Who sees your code</h2>
      <p>
        The server that runs this page, and the provider of the model that you choose, which is sent your prompt and the
        files that it works on. An agent in a terminal is a program of its own: what it sends, and to whom, is between
        it and its maker. Nobody else: there is no telemetry, no analytics and no account with us, and this page loads
        nothing from elsewhere, not even its fonts. A model key of yours stays in this browser; the server holds it
        sealed while a run needs it, and erases it then.
      </p>
      <p>
        A session and its files are deleted when nobody has used them for a while; each session says when. What a model
        wrote in a Build is never run by the server, and never shown as a page of it. An agent runs what it likes, on
        the machine of the server, once you have let it.
      </p>

      <h2>What it stands on</h2>
      <p>
        React, Vite, Tailwind CSS, TanStack Query, zustand, wouter, zod, CodeMirror, xterm.js, cmdk and Lucide in the
        page. Hono, LangGraph, node-pty and Node.js behind it. The letters are Atkinson Hyperlegible, drawn by the
        Braille Institute so that a 0 is no O and an l no 1. All of them are free software, under licences of their own.
      </p>

      <h2>Read on</h2>
      <ul>
        <li>
          <To href={paths.guide()}>The guide</To>, for using it
        </li>
        <li>
          <A href={api.page("/api/docs")}>The API</A>, for pipelines and programs of your own
        </li>
      </ul>
    </Page>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="grid grid-cols-[120px_minmax(0,1fr)] border-t border-line py-2">
      <dt className="text-ink-3">{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}
