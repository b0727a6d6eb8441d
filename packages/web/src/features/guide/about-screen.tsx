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
        or another agent a task in your repository, watch it work, and merge its changes.
      </p>

      <dl className="my-6 border-b border-line">
        <Fact name="Version">{config.version}</Fact>
        <Fact name="Environment">{config.app_env}</Fact>
        <Fact name="Model">
          <span className="font-mono text-sm">{config.default_model}</span>
          {config.demo && <span className="block text-sm text-ink-3">Built-in demo, used until you add a key</span>}
        </Fact>
        <Fact name="Sign-in">{config.auth_mode === "open" ? "None (this machine only)" : "Access token"}</Fact>
        <Fact name="Licence">Apache-2.0</Fact>
      </dl>

      <h2>Who sees your code</h2>
      <p>
        Only this server and your chosen model's provider see your code. The provider receives your prompt and the files
        the model works on. Command-line agents are separate programs; each vendor decides what its agent sends and
        where. There's no telemetry, no analytics, and no account to create. This page loads nothing from other sites,
        not even fonts.
      </p>
      <p>
        The server encrypts your API keys and sends each one only to its provider. If you choose not to store a key, it
        stays in your browser tab; the server holds an encrypted copy only while a run needs it.
      </p>
      <p>
        Unused sessions and their files are deleted automatically. Each session shows its deletion date. Generated
        projects are installed, tested and started on the server's machine only if you allow it. With your permission,
        an agent can run any command there.
      </p>

      <h2>Built with</h2>
      <p>
        In the browser: React, Vite, Tailwind CSS, TanStack Query, zustand, wouter, zod, CodeMirror, xterm.js, cmdk and
        Lucide. On the server: Hono, LangGraph, node-pty and Node.js. The typeface is Atkinson Hyperlegible, designed by
        the Braille Institute to keep similar characters such as 0 and O easy to tell apart. All are free software under
        their own licences.
      </p>

      <h2>Learn more</h2>
      <ul>
        <li>
          <TextLink href={paths.guide()}>Guide</TextLink> to using Switchyard
        </li>
        <li>
          <A href={api.page("/api/docs")}>API</A> for CI pipelines and scripts
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
