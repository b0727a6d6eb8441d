import { Button } from "../../ui/button.tsx"
import { Notice } from "../../ui/notice.tsx"

/** Asks for consent, once per repository, and explains what it means. */
export function ConsentNotice({ repository, onAgree }: { repository: string; onAgree(): void }) {
  return (
    <Notice tone="need" className="mt-3 flex flex-wrap items-center justify-between gap-3">
      <span className="min-w-0 flex-1 basis-72">
        Allow agents to run commands in{" "}
        <strong className="break-all">{repository.trim() || "the sessions' own files"}</strong>? The repository's files
        that start programs, such as .mcp.json, may do so as they are in the commit from which the work begins. You'll
        only be asked once; Settings, Repositories lists and withdraws it.
      </span>
      <Button onClick={onAgree}>Allow</Button>
    </Notice>
  )
}
