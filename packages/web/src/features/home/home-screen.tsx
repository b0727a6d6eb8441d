import { useState } from "react"
import { useSessions } from "../../session/list/use-sessions.ts"
import { type Kind, kinds, readChoices, saveChoices } from "../../session/preferences/new-session-choices.ts"
import { lazyPart } from "../../ui/lazy-part.ts"
import { Segments } from "../../ui/segments.tsx"
import { BuildForm } from "./build-form.tsx"
import { RecentSessions } from "./recent-sessions.tsx"
import { useDraft } from "./use-draft.ts"

/** Placeholder shown while a form is loading. */
const ROOM = <div className="h-[220px]" />
const AgentForm = lazyPart(async () => (await import("./agent-form.tsx")).AgentForm, ROOM)
const ChatForm = lazyPart(async () => (await import("./chat-form.tsx")).ChatForm, ROOM)
const TeamForm = lazyPart(async () => (await import("./team-form.tsx")).TeamForm, ROOM)
const Landing = lazyPart(async () => (await import("../guide/landing.tsx")).Landing)

/** Starts a new session. Users who have none see an introduction. */
export function HomeScreen() {
  const sessions = useSessions()
  const [kind, choose, chosen] = useKind()
  const draft = useDraft()
  const isNew = sessions.data?.sessions.length === 0
  return (
    <div data-region="main" tabIndex={-1} className="relative h-full overflow-y-auto">
      <div className={`mx-auto px-6 pb-12 max-md:px-4 max-md:pt-6 ${isNew ? newcomers : "max-w-[760px] pt-[9vh]"}`}>
        {isNew ? <Welcome /> : <h1 className="mb-4 text-2xl leading-tight">What should we build?</h1>}
        <KindChoice kind={kind} onChoose={choose} />
        {/* After the user has changed the kind, the focus stays on that control. */}
        {kind === "Build" && <BuildForm draft={draft} autoFocus={!chosen} />}
        {kind === "Agent" && <AgentForm draft={draft} />}
        {kind === "Chat" && <ChatForm draft={draft} />}
        {kind === "Team" && <TeamForm draft={draft} />}
        {isNew ? <Landing kind={kind} /> : <RecentSessions query={sessions} />}
      </div>
    </div>
  )
}

const newcomers = "max-w-[920px] pt-[clamp(24px,7vh,72px)]"

/** Introduction for new users. */
function Welcome() {
  return (
    <>
      <h1 className="text-2xl leading-tight sm:text-[36px]">
        Say what you want built. <span className="sm:block">Watch it being made.</span>
      </h1>
      <p className="mt-3 mb-6 max-w-[64ch] text-lg text-ink-2 max-md:text-base">
        A planner, an architect and a coder turn a prompt into a project, file by file. Claude Code, Codex and others
        work in your repository, a chat knows its code, and a team pursues a goal. It all runs on this server, and your
        code is sent only to the models you choose.
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
  Build: "Planner, architect and coder turn your prompt into a project",
  Agent: "Give a coding agent a task in your repository",
  Chat: "Ask a model about code, and have it edited",
  Team: "A coordinator breaks a goal into nodes, and workers do them side by side",
} satisfies Record<Kind, string>

function KindChoice({ kind, onChoose }: { kind: Kind; onChoose(kind: Kind): void }) {
  return (
    <div className="mb-3 flex flex-wrap items-center gap-x-3 gap-y-1">
      <Segments legend="What kind of session" options={kinds} value={kind} onChange={onChoose} />
      <p className="text-sm text-ink-3">{descriptions[kind]}</p>
    </div>
  )
}
