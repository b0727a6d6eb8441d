import type { NodeName } from "@switchyard/core/work/workflow/schema"
import { lazyPart } from "../../../ui/lazy-part.ts"
import { Skeleton } from "../../../ui/notice.tsx"
import { Graph } from "./graph.tsx"

const PromptEditor = lazyPart(async () => (await import("../../prompts/prompt-editor.tsx")).PromptEditor, <Skeleton />)

interface Props {
  prompted: NodeName | null
  onPrompt(node: NodeName | null): void
}

/** The graph, and the prompts of the chosen node below it. */
export function GraphPane({ prompted, onPrompt }: Props) {
  return (
    <div className="grid h-full min-h-0 grid-cols-[minmax(0,1fr)] grid-rows-[auto_minmax(0,1fr)]">
      <Graph prompted={prompted} onNode={(node) => onPrompt(node === prompted ? null : node)} />
      <section aria-label="Prompt" data-region="editor" tabIndex={-1} className="overflow-y-auto border-t border-line">
        {prompted === null ? (
          <p className="p-6 text-center text-sm text-ink-3">Select a node to see its prompt.</p>
        ) : (
          <div className="mx-auto max-w-[860px]">
            <PromptEditor node={prompted} onNode={onPrompt} />
          </div>
        )}
      </section>
    </div>
  )
}
