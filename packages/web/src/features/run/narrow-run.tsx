import { runPanes } from "../../session/context/routes.ts"
import { useSessionData } from "../../session/view/use-session.ts"
import { ConversationPane } from "./conversation/conversation.tsx"
import { PaneTabs } from "./panes/pane-tabs.tsx"
import { Panels } from "./panes/panels.tsx"
import { usePaneCommands, usePanes } from "./panes/use-panes.ts"

const parts = ["conversation", ...runPanes] as const

/** The run on phones: the conversation or one of the panes. */
export function NarrowRun() {
  const panes = usePanes()
  usePaneCommands(panes)
  // Before anything was requested, only the conversation has something to do.
  const isNew = useSessionData(({ live }) => live.conversation.length === 0)
  const shown = panes.shown ?? (isNew ? "conversation" : "app")
  const isTalking = shown === "conversation"
  return (
    <div
      data-region="main"
      tabIndex={-1}
      className="grid min-h-0 grid-cols-[minmax(0,1fr)] grid-rows-[auto_minmax(0,1fr)]"
    >
      <PaneTabs tabs={parts} shown={shown} onShow={panes.show} />
      <div className="relative min-h-0">
        <div inert={!isTalking} className="absolute inset-0 inert:invisible">
          <ConversationPane onOpen={panes.openFile} />
        </div>
        <Panels shown={isTalking ? null : shown} panes={panes} />
      </div>
    </div>
  )
}
