import { demoOffer } from "@switchyard/core/models/demo-offer"
import type { ReactNode } from "react"
import { paths } from "../../session/context/routes.ts"
import { useStudio } from "../../session/context/studio.ts"
import { type IconState, StatusIcon } from "../../ui/icons.tsx"
import { TextLink } from "../../ui/text-link.tsx"
import { ShortcutTable } from "../command-palette/shortcut-table.tsx"
import { Agents, Changes } from "./agent-chapters.tsx"
import { Chat, Teams } from "./chat-chapters.tsx"
import { A, Code, Lines } from "./prose.tsx"

interface Chapter {
  id: string
  title: string
  content: ReactNode
}

export const chapters: Chapter[] = [
  { id: "ways", title: "Four ways to work", content: <Ways /> },
  { id: "first-run", title: "Your first run", content: <FirstRun /> },
  { id: "screen", title: "The run screen", content: <Screen /> },
  { id: "editing", title: "Editing files", content: <Editing /> },
  { id: "prompts", title: "Prompts", content: <Prompts /> },
  { id: "agents", title: "Command-line agents", content: <Agents /> },
  { id: "changes", title: "Reviewing an agent's changes", content: <Changes /> },
  { id: "chat", title: "Chatting about code", content: <Chat /> },
  { id: "teams", title: "Teams", content: <Teams /> },
  { id: "replay", title: "Replaying a session", content: <Replay /> },
  { id: "keys", title: "API keys", content: <ModelKeys /> },
  { id: "keyboard", title: "Keyboard", content: <ShortcutTable /> },
  { id: "command-line", title: "Command line", content: <CommandLine /> },
  { id: "api", title: "API and pipelines", content: <Api /> },
]

export function Chapters() {
  return chapters.map(({ id, title, content }) => (
    <section key={id} aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {content}
    </section>
  ))
}

function Ways() {
  return (
    <>
      <p>
        Use <strong>Build</strong> to turn a prompt into a new project. A planner, an architect and a coder write it
        file by file with the model you choose. When it's ready, try it, edit it, or download it.
      </p>
      <p>
        Use <strong>Agent</strong> to give a task to Claude Code, Codex or another command-line agent, usually in an
        existing repository. Watch it work, then review and merge the changes.
      </p>
      <p>
        Use <strong>Chat</strong> to discuss and edit the code in a repository or session.
      </p>
      <p>
        Use <strong>Team</strong> for a bigger goal. A coordinator splits it into tasks that workers do in parallel.
      </p>
      <p>
        Whichever you choose, you get a session with its own files and log. Use the timeline at the bottom to go back to
        any point.
      </p>
    </>
  )
}

function FirstRun() {
  const { config } = useStudio()
  return (
    <>
      <ol>
        <li>
          On the <TextLink href={paths.home()}>home page</TextLink>, describe what you want to build. Say what it should
          do and, if it matters, which language to use. A sentence or two is enough.
        </li>
        <li>Press Enter or click Run. A session opens, and the run starts immediately.</li>
        <li>
          Watch it work, or close the tab and come back later. The run continues without you, and you can replay what
          you missed.
        </li>
        <li>Try the app, ask for changes, edit the files, or download everything as a zip.</li>
      </ol>
      {config.demo && (
        <p>
          This server doesn't have an API key, so runs use the built-in demo, <Code>{config.default_model}</Code>.{" "}
          {demoOffer} To use a real model, add an <TextLink href={paths.settings("model")}>API key</TextLink>.
        </p>
      )}
    </>
  )
}

function Screen() {
  return (
    <>
      <p>
        The conversation on the left shows your requests, the plan, and the result of each run. Type your next request
        below it. Press Enter to send, or Shift+Enter to start a new line. The tabs on the right are described below. On
        a phone, the conversation is a tab too.
      </p>
      <ul>
        <li>
          <strong>App</strong>: see a preview as soon as there's a page to show.
        </li>
        <li>
          <strong>Code</strong>: browse and edit your files. They appear as they're written, and files changed by the
          run are marked.
        </li>
        <li>
          <strong>Log</strong>: see every event. The newest one stays in view until you scroll up.
        </li>
        <li>
          <strong>Graph</strong>: follow the run's progress. The planner decides which files to create, the architect
          breaks the work into tasks, and the coder writes the files.
        </li>
      </ul>
      <p>Each status has its own icon and colour:</p>
      <IconLegend />
    </>
  )
}

function Replay() {
  return (
    <p>
      To see the session at an earlier point, drag the timeline at the bottom or step through it. The run continues in
      the meantime. Select “Live” to return to the present. The page's URL includes the point you're viewing, so you can
      share it with anyone who can open the session.
    </p>
  )
}

function Editing() {
  return (
    <>
      <p>
        Edit any file, even during a run. A dot marks unsaved changes. If the run changes a file while you're editing
        it, you choose which version to keep. You can also rename and delete files, or download everything as a zip.
      </p>
      <p>
        Each request builds on the existing files, including your edits. To start from scratch, create a new session.
        Unused sessions are deleted automatically; each session shows its deletion date.
      </p>
    </>
  )
}

function Prompts() {
  return (
    <p>
      The planner, the architect and the coder each have a prompt. To see one, select its node in the graph. The upper
      section contains the safety rules and can't be changed. Edit the lower section (up to 4,000 characters) to set a
      code style, framework or comment language. The next run uses your version. To restore the original, select “Reset
      to default”.
    </p>
  )
}

function ModelKeys() {
  return (
    <p>
      Use models from Groq, OpenAI, Anthropic, or any server with an OpenAI-compatible API. Paste your key under{" "}
      <TextLink href={paths.settings("model")}>Keys and models</TextLink>. The server recognizes the provider and stores
      the key encrypted. An admin can also set a key for everyone. Free plans have low per-minute limits, so large
      projects take longer.
    </p>
  )
}

function CommandLine() {
  return (
    <>
      <p>You can also use this server from a terminal. Runs you start there appear here, and vice versa.</p>
      <Lines>{COMMANDS}</Lines>
    </>
  )
}

const COMMANDS = `npx switchyard run "A tiny URL shortener with tests" --out ./shortener
npx switchyard run "Add a --json flag" --agent claude --repository ~/code/tool --consent
npx switchyard attach SESSION
npx switchyard status
npx switchyard events RUN --follow
npx switchyard download --out ./project
npx switchyard --help`

function Api() {
  const { api, config } = useStudio()
  const server = config.api_base || location.origin
  return (
    <>
      <p>
        Anything you can do in the studio, you can also do with the <A href={api.page("/api/docs")}>API</A>. There's
        also an <A href={api.page("/openapi.json")}>OpenAPI description</A>. To start a run and wait for the result:
      </p>
      <Lines>{`curl '${server}/v1/runs?wait=50' \\\n     -H 'Content-Type: application/json' \\\n     -d '{"user_prompt": "A static page about tea"}'`}</Lines>
      {config.auth_mode === "token" && (
        <p>
          Send an <TextLink href={paths.settings("tokens")}>access token</TextLink> in the{" "}
          <Code>Authorization: Bearer …</Code> header.
        </p>
      )}
    </>
  )
}

const meanings = {
  idle: "Idle",
  busy: "Working",
  waiting: "Waiting (continues automatically)",
  needs_input: "Needs you",
  done: "Done",
  error: "Failed",
} satisfies Record<IconState, string>

function IconLegend() {
  return (
    <ul className="flex flex-wrap gap-x-6 gap-y-1 text-sm !list-none !pl-0">
      {Object.entries(meanings).map(([state, meaning]) => (
        <li key={state} className="flex items-center gap-2">
          <StatusIcon state={state as IconState} label={null} />
          {meaning}
        </li>
      ))}
    </ul>
  )
}
