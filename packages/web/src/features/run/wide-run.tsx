import { runPanes } from "../../session/context/routes.ts"
import { Split } from "../../ui/split.tsx"
import { ConversationPane } from "./conversation/conversation.tsx"
import { PaneTabs } from "./panes/pane-tabs.tsx"
import { Panels } from "./panes/panels.tsx"
import { usePaneCommands, usePanes } from "./panes/use-panes.ts"

/** The run on a wide screen: the conversation, and next to it one pane at a time. */
export function WideRun() {
  const panes = usePanes()
  usePaneCommands(panes)
  const shown = panes.shown === null || panes.shown === "conversation" ? "app" : panes.shown
  return (
    <div data-region="main" tabIndex={-1} className="min-h-0">
      <Split
        direction="row"
        label="Conversation width"
        initial={34}
        least={[260, 300]}
        first={<ConversationPane onOpen={panes.openFile} />}
        second={
          <div className="grid h-full min-h-0 grid-cols-[minmax(0,1fr)] grid-rows-[auto_minmax(0,1fr)]">
            <PaneTabs tabs={runPanes} shown={shown} onShow={panes.show} />
            <div className="relative min-h-0">
              <Panels shown={shown} panes={panes} />
            </div>
          </div>
        }
      />
    </div>
  )
}
