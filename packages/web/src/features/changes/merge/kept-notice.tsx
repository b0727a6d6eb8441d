import type { KeptView } from "../../../session/stream/work.ts"
import { CodeBlock } from "../../../ui/markdown/code-block.tsx"
import { Notice } from "../../../ui/notice.tsx"
import { dayOf } from "../../../ui/time.ts"

interface Props {
  kept: KeptView
  className?: string
}

/** Unmerged work of a worktree that was removed or reset, and the command that checks it out. */
export function KeptNotice({ kept: { ref, until, command, inner, ignored }, className }: Props) {
  const isLocal = command?.startsWith("git -C ")
  return (
    <Notice className={className}>
      <p>
        Unmerged work is kept under <code className="font-mono text-xs break-all">{ref}</code>
        {until !== null && ` until ${dayOf(until)}`}.
      </p>
      {command !== null && (
        <>
          <p className="mt-1">To check it out, run {isLocal ? "this" : "this in a shell of the session's worktree"}:</p>
          <div className="mt-1">
            <CodeBlock text={command} language="sh" />
          </div>
        </>
      )}
      {inner.length > 0 && (
        <>
          <p className="mt-1">Repositories inside it have work, too:</p>
          <ul className="mt-1 list-disc pl-5 text-xs">
            {inner.map((each) => (
              <li key={each.path} className="break-all">
                {each.path}: <code className="font-mono">{each.ref}</code> in {each.repository}
              </li>
            ))}
          </ul>
        </>
      )}
      {ignored > 0 && (
        <p className="mt-1 text-ink-2">Not kept: files and folders that git ignores ({ignored.toLocaleString()}).</p>
      )}
    </Notice>
  )
}
