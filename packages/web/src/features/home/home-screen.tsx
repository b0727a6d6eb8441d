import { useState } from "react"
import { type Kind, kinds, readChoices, saveChoices } from "../../session/preferences/new-session-choices.ts"
import { lazyPart } from "../../ui/lazy-part.ts"
import { Segments } from "../../ui/segments.tsx"
import { BuildForm } from "./build-form.tsx"
import { useDraft } from "./use-draft.ts"
import { useIsNew } from "./use-is-new.ts"

/** Placeholder shown while a form is loading. */
const ROOM = <div className="h-[220px]" />
const AgentForm = lazyPart(async () => (await import("./agent-form.tsx")).AgentForm, ROOM)
const ChatForm = lazyPart(async () => (await import("./chat-form.tsx")).ChatForm, ROOM)
const TeamForm = lazyPart(async () => (await import("./team-form.tsx")).TeamForm, ROOM)
const Board = lazyPart(async () => (await import("../board/board.tsx")).Board)
const Landing = lazyPart(async () => (await import("../guide/landing.tsx")).Landing)

/** Starts a new session. Users who have none see an introduction. */
export function HomeScreen() {
  const [kind, choose, chosen] = useKind()
  const draft = useDraft()
  const isNew = useIsNew()
  return (
    <div data-region="main" tabIndex={-1} className="relative h-full overflow-y-auto">
      {isNew !== undefined && (
        <div className={`mx-auto px-6 max-md:px-4 max-md:pt-6 ${isNew ? newcomers : "max-w-[760px] pb-8 pt-[4vh]"}`}>
          {isNew ? <Welcome /> : <h1 className="mb-4 text-2xl leading-tight">What should we build?</h1>}
          <KindChoice kind={kind} onChoose={choose} />
          {/* After the user has changed the kind, the focus stays on that control. */}
          {kind === "Build" && <BuildForm draft={draft} autoFocus={!chosen} />}
          {kind === "Agent" && <AgentForm draft={draft} />}
          {kind === "Chat" && <ChatForm draft={draft} />}
          {kind === "Team" && <TeamForm draft={draft} />}
          {isNew && <Landing kind={kind} />}
        </div>
      )}
      {isNew === false && (
        <section aria-label="Your sessions" className="mx-auto max-w-[1400px] px-6 pb-12 max-md:px-4">
          <Board />
        </section>
      )}
    </div>
  )
}

const newcomers = "pb-12 max-w-[920px] pt-[clamp(24px,7vh,72px)]"

/** Introduction for new users. */
function Welcome() {
  return (
    <>
      <h1 className="text-2xl leading-tight sm:text-[36px]">
        Describe what you want built. <span className="sm:block">Watch it take shape.</span>
      </h1>
      <p className="mt-3 mb-6 max-w-[64ch] text-lg text-ink-2 max-md:text-base">
        Turn a prompt into a working app. Give Claude Code, Codex and other agents tasks in your repository, chat about
        your code, or have a team of agents work toward a bigger goal. Everything runs on this server, and your code is
        sent only to the models you choose.
      </p>
    </>
  )
}

/** Returns the chosen kind of session; by default, that of the last one. */
function useKind(): [kind: Kind, choose: (kind: Kind) => void, chosen: boolean] {
  const [chosen, setChosen] = useState<Kind | null>(null)
  const [stored] = useState(() => readChoices(localStorage).kind)
  const choose = (kind: Kind) => {
    setChosen(kind)
    saveChoices(localStorage, { kind })
  }
  return [chosen ?? stored, choose, chosen !== null]
}

const descriptions = {
  Build: "Create an app from a description",
  Agent: "Give Claude Code, Codex and others a task in your repository",
  Chat: "Ask about your code or edit it",
  Team: "Give several agents a bigger goal",
} satisfies Record<Kind, string>

function KindChoice({ kind, onChoose }: { kind: Kind; onChoose(kind: Kind): void }) {
  return (
    <div className="mb-3 flex flex-wrap items-center gap-x-3 gap-y-1">
      <Segments legend="Session type" options={kinds} value={kind} onChange={onChoose} />
      <p className="text-sm text-ink-3">{descriptions[kind]}</p>
    </div>
  )
}
