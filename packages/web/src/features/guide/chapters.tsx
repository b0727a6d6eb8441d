import { demoOffer } from "@switchyard/core/models/demo-offer"
import type { ReactNode } from "react"
import { paths } from "../../session/context/routes.ts"
import { useStudio } from "../../session/context/studio.ts"
import { type IconState, StatusIcon } from "../../ui/icons.tsx"
import { TextLink } from "../../ui/text-link.tsx"
import { ShortcutTable } from "../command-palette/shortcut-table.tsx"
import { Agents, Changes } from "./agent-chapters.tsx"
import { A, Code, Lines } from "./prose.tsx"

interface Chapter {
  id: string
  title: string
  content: ReactNode
}

export const chapters: Chapter[] = [
  { id: "ways", title: "Four ways to work", content: <Ways /> },
  { id: "first-run", title: "A first run", content: <FirstRun /> },
  { id: "screen", title: "Reading the screen", content: <Screen /> },
  { id: "editing", title: "Changing files", content: <Editing /> },
  { id: "prompts", title: "Prompts", content: <Prompts /> },
  { id: "agents", title: "Agents in terminals", content: <Agents /> },
  { id: "changes", title: "Reviewing an agent's changes", content: <Changes /> },
  { id: "chat", title: "Chatting about code", content: <Chat /> },
  { id: "teams", title: "Teams", content: <Teams /> },
  { id: "replay", title: "Going back in time", content: <Replay /> },
  { id: "keys", title: "Model keys", content: <ModelKeys /> },
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
        <strong>Build</strong> turns a prompt into a new project: a planner, an architect and a coder write it file by
        file, with a model of your choice, and you watch, edit and download the result.
      </p>
      <p>
        <strong>Agent</strong> gives a task to a command-line agent such as Claude Code or Codex. It works in a
        terminal, usually in an existing repository, and you review and merge its changes.
      </p>
      <p>
        <strong>Chat</strong> answers questions about the code of a repository or a session, and edits it.
      </p>
      <p>
        <strong>Team</strong> pursues a goal: a coordinator breaks it into nodes, and workers do them side by side.
      </p>
      <p>
        Whichever it is, it is a session, with a log, files, and a timeline at the bottom that takes you back to any
        moment.
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
          On the <TextLink href={paths.home()}>first page</TextLink>, describe what to build. Say what it should do and,
          if it matters, in which language; a sentence or two is enough.
        </li>
        <li>Press Run. A session opens and the run starts at once.</li>
        <li>Watch, or close the tab and come back later. The run continues, and you can replay what you missed.</li>
        <li>Read the files, edit them, ask for more in the same session, and download everything as a zip.</li>
      </ol>
      {config.demo && (
        <p>
          This server has no API key, so runs use <Code>{config.default_model}</Code>, a built-in demo. {demoOffer} To
          use a real model, add a <TextLink href={paths.settings("model")}>model key</TextLink>.
        </p>
      )}
    </>
  )
}

function Screen() {
  return (
    <>
      <p>
        Each run has three steps. The <strong>planner</strong> decides which files to create. The{" "}
        <strong>architect</strong> turns that into tasks, one a file. The <strong>coder</strong> then writes the files
        one by one. The graph at the top shows which of them is working and how far it is, such as "file 3 of 7".
      </p>
      <p>
        Below are the files, the open file, and the log. A file appears as soon as it's written, with a mark if this run
        created or changed it. The log follows new events while you are at its end; scroll up and it stays put and
        counts the new entries.
      </p>
      <p>States have a shape as well as a colour:</p>
      <IconLegend />
    </>
  )
}

function Replay() {
  return (
    <p>
      The timeline at the bottom is the whole session, event by event. Drag it, or step along it, and the graph, files
      and log show that moment. The run continues meanwhile; Live takes you back to it. The page's URL points to the
      moment you're viewing, so you can share it with anyone who has access to the session.
    </p>
  )
}

function Editing() {
  return (
    <>
      <p>
        You can edit any file, even during a run. A dot marks unsaved changes. If the run changes the same file in the
        meantime, you choose which version to keep. Rename and delete files in the tree, or download them all as a zip.
      </p>
      <p>
        Another prompt in the same session builds on the existing files, including your changes. Starting fresh opens a
        new session and leaves the old one unchanged. Each session shows when it will be deleted if unused.
      </p>
    </>
  )
}

function Prompts() {
  return (
    <p>
      Each of the three has its own prompt. The upper part is fixed: its rules keep a run in its workspace. The lower
      part is yours, up to 4,000 characters: a code style, a framework, a language for comments. It takes effect with
      the next run, and Reset restores the default.
    </p>
  )
}

function ModelKeys() {
  return (
    <p>
      Runs can use models from Groq, OpenAI, Anthropic and any server with an OpenAI-compatible API. Enter a key under{" "}
      <TextLink href={paths.settings("model")}>Models</TextLink>, where it stays in this browser, or set one on the
      server for everyone. Free keys have low per-minute limits, so large projects may have to wait.
    </p>
  )
}

function CommandLine() {
  return (
    <>
      <p>Use the same server from a terminal. Runs you start there appear here, and vice versa.</p>
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
        Everything the studio does uses the <A href={api.page("/api/docs")}>API</A>, described in{" "}
        <A href={api.page("/openapi.json")}>OpenAPI</A>. Start a run and wait for it:
      </p>
      <Lines>{`curl '${server}/v1/runs?wait=50' \\\n     -H 'Content-Type: application/json' \\\n     -d '{"user_prompt": "A static page about tea"}'`}</Lines>
      {config.auth_mode === "token" && (
        <p>
          Send a <TextLink href={paths.settings("tokens")}>token</TextLink> as <Code>Authorization: Bearer …</Code>
        </p>
      )}
    </>
  )
}

function Chat() {
  return (
    <>
      <p>
        Every session that was built or has a repository has a Chat. To begin with a repository, choose Chat on the{" "}
        <TextLink href={paths.home()}>first page</TextLink>. The model is shown a map of the code, the list of all
        files, and in full the files you select on the left.
      </p>
      <p>
        Its edits become cards. Each shows its diff, and whether it was applied or why not. Where some failed, Ask again
        writes the message that says so, and you send it. In a repository the edits of an answer are a commit on the
        session's own branch, which you merge or push as an agent's work.
      </p>
      <p>
        Context shows what the model was sent, what the provider's cache paid for, and what the next message would have
        to write anew. Rewind takes conversation and files back together, Undo takes the edits of one answer back, and
        Fork opens a new session from there. In a terminal it is <Code>npx switchyard chat</Code>.
      </p>
    </>
  )
}

function Teams() {
  return (
    <>
      <p>
        A team works on a goal. A coordinator breaks it into nodes that depend on one another and gives them to workers:
        models, command-line agents, or commands of yours. Choose Team on the{" "}
        <TextLink href={paths.home()}>first page</TextLink>, and give it a budget if you like.
      </p>
      <p>
        The board shows what waits, what is done and what failed. Open a node to read its task, its result and what it
        cost; drag it to a worker, move it, or have it done again. Write to the coordinator, or with <Code>@</Code> to a
        worker by name. Pause or stop the team whenever you want: it goes on where it was.
      </p>
      <p>
        A team you keep waits for messages and triggers: every morning at seven, after an event, or by a webhook. What
        it learns it notes in its memory, and finds it there the next time.
      </p>
    </>
  )
}

const meanings = {
  idle: "Nothing runs",
  busy: "At work",
  waiting: "Continues later by itself",
  needs_input: "Waits for you",
  done: "Done",
  error: "Failed, and says why",
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
