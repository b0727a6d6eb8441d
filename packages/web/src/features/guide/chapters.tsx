import type { ReactNode } from "react"
import { paths } from "../../session/context/routes.ts"
import { useStudio } from "../../session/context/studio.ts"
import { ShortcutTable } from "../command-palette/shortcut-table.tsx"
import { Agents, Changes } from "./agent-chapters.tsx"
import { IconLegend } from "./icon-legend.tsx"
import { A, Code, Lines, To } from "./prose.tsx"

interface Chapter {
  id: string
  title: string
  content: ReactNode
}

export const chapters: Chapter[] = [
  { id: "two-ways", title: "Two ways to work", content: <TwoWays /> },
  { id: "first-run", title: "A first run", content: <FirstRun /> },
  { id: "screen", title: "Reading the screen", content: <Screen /> },
  { id: "editing", title: "Changing files", content: <Editing /> },
  { id: "prompts", title: "Prompts", content: <Prompts /> },
  { id: "agents", title: "Agents in terminals", content: <Agents /> },
  { id: "changes", title: "What an agent changed", content: <Changes /> },
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

function TwoWays() {
  return (
    <>
      <p>
        <strong>Build</strong> makes a new project of a prompt: a planner, an architect and a coder do it file by file,
        with a model of your choice, and you watch, change and download what they make.
      </p>
      <p>
        <strong>Agent</strong> gives a task to a command-line agent such as Claude Code or Codex, which does it in a
        terminal, mostly in a repository that is there already, and you read and merge what it changed.
      </p>
      <p>
        Either way it is a session: it has a log, files, and a line at the bottom on which you can go back to any moment
        of it.
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
          On the <To href={paths.home()}>first page</To>, say what you want built. Name the language if you care, and
          what it should do; a sentence or two is enough.
        </li>
        <li>Press Run. A session opens and the work begins at once.</li>
        <li>Watch, or go away and come back. The work goes on without this page, and nothing of it is missed.</li>
        <li>
          Read the files, change what you like, ask for more in the same session, and take everything home as a zip.
        </li>
      </ol>
      {config.demo && (
        <p>
          This server has no key for a language model, so <Code>{config.default_model}</Code> answers: a script that
          builds small projects by rule. It shows how everything works. For real work, give it a{" "}
          <To href={paths.settings("model")}>model key</To>.
        </p>
      )}
    </>
  )
}

function Screen() {
  return (
    <>
      <p>
        Three work on each run, one after the other. The <strong>planner</strong> decides which files there will be. The{" "}
        <strong>architect</strong> turns that into steps. The <strong>coder</strong> takes the steps one at a time, and
        writes a file in each. The graph above shows who is at it and how far, as in "file 3 of 7".
      </p>
      <p>
        Below are the files, the open file, and the log. A file shows up as soon as it is written, with a mark if this
        run made or changed it. The log follows what happens while you are at its end; scroll up and it stays where you
        are, and says how much is new.
      </p>
      <p>States have a shape as well as a colour:</p>
      <IconLegend />
    </>
  )
}

function Replay() {
  return (
    <p>
      The strip at the bottom is the run line: the whole session, event by event. Drag it, or step along it, and graph,
      files and log show that moment. What runs goes on meanwhile; Live brings you back to it. The address is that of
      the moment, so it can be sent to whoever may see the session.
    </p>
  )
}

function Editing() {
  return (
    <>
      <p>
        Every file can be edited, also while a run is going. A dot marks what isn't saved. If the run has changed the
        same file in the meantime, you are told instead of either being lost. Files can be renamed and deleted from the
        tree, and downloaded together as a zip.
      </p>
      <p>
        A further prompt in the same session builds on the files that are there, your changes included. Starting fresh
        opens a new session and leaves the old one as it is. Each session says when it will be deleted if nobody uses
        it.
      </p>
    </>
  )
}

function Prompts() {
  return (
    <p>
      Each of the three has a prompt of its own. The upper part is fixed: it holds the rules that keep a run in its
      workspace. The lower part is yours, up to 4,000 characters: house style, a framework, a language for comments. It
      counts from the next run on, and Reset brings back what was there.
    </p>
  )
}

function ModelKeys() {
  return (
    <p>
      Models of Groq, OpenAI, Anthropic and any server with an OpenAI-compatible API can do the work. A key is typed in
      under <To href={paths.settings("model")}>Model key</To> and stays in this browser, or is set on the server for
      everybody. Free keys allow few tokens a minute, so large projects may have to wait.
    </p>
  )
}

function CommandLine() {
  return (
    <>
      <p>The same server, from a terminal. What was started there shows up here, and the other way round.</p>
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
        Whatever the studio does goes through the <A href={api.page("/api/docs")}>API</A>, described in{" "}
        <A href={api.page("/openapi.json")}>OpenAPI</A>. Start a run and wait for it:
      </p>
      <Lines>{`curl '${server}/v1/runs?wait=50' \\\n     -H 'Content-Type: application/json' \\\n     -d '{"user_prompt": "A static page about tea"}'`}</Lines>
      {config.auth_mode === "token" && (
        <p>
          Send a <To href={paths.settings("tokens")}>token</To> along, as <Code>Authorization: Bearer …</Code>
        </p>
      )}
    </>
  )
}
