import type { ReactNode } from "react"
import { paths } from "../../session/context/routes.ts"
import { useStudio } from "../../session/context/studio.ts"
import { TextLink } from "../../ui/text-link.tsx"
import { A, Page } from "./prose.tsx"

/** Describes the product, this installation, and its privacy. */
export function AboutScreen() {
  const { config, api } = useStudio()
  return (
    <Page title="About Switchyard">
      <p>
        Switchyard is a coding-agent studio that runs on your own machine or in your own AWS account. Describe what to
        build, and a planner, an architect and a coder write it file by file while you watch. Or give Claude Code, Codex
        or another agent a task in your repository, watch its terminal, and merge its changes.
      </p>

      <dl className="my-6 border-b border-line">
        <Fact name="Version">{config.version}</Fact>
        <Fact name="Environment">{config.app_env}</Fact>
        <Fact name="Model">
          <span className="font-mono text-sm">{config.default_model}</span>
          {config.demo && <span className="block text-sm text-ink-3">Built-in demo, used until you add a key</span>}
        </Fact>
        <Fact name="Sign-in">{config.auth_mode === "open" ? "None (this machine only)" : "By token"}</Fact>
        <Fact name="Licence">Apache-2.0</Fact>
      </dl>

      <h2>Who sees your code</h2>
      <p>
        Only this server and the provider of the model you choose, which receives your prompt and the files it works on.
        An agent in a terminal is a separate program: what it sends, and where, is up to its vendor. There is no
        telemetry, no analytics and no account with us, and this page loads nothing from other sites, not even fonts.
        Your model keys stay in this browser, each for its own provider; the server keeps one encrypted while a run
        needs it and erases it afterwards.
      </p>
      <p>
        Unused sessions and their files are deleted after a while; each session shows when. The server never runs code
        from a Build and never serves it as a page. An agent can run any command on the server's machine once you allow
        it.
      </p>

      <h2>Built with</h2>
      <p>
        React, Vite, Tailwind CSS, TanStack Query, zustand, wouter, zod, CodeMirror, xterm.js, cmdk and Lucide in the
        browser. Hono, LangGraph, node-pty and Node.js on the server. The typeface is Atkinson Hyperlegible, designed by
        the Braille Institute so that 0 and O, and l and 1, are easy to tell apart. All are free software under their
        own licences.
      </p>

      <h2>Learn more</h2>
      <ul>
        <li>
          <TextLink href={paths.guide()}>The guide</TextLink> to using Switchyard
        </li>
        <li>
          <A href={api.page("/api/docs")}>The API</A>for pipelines and your own programs
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
