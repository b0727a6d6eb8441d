import { Button } from "../../ui/button.tsx"
import { Notice } from "../../ui/notice.tsx"

/** Asks for consent, once per repository, and explains what it means. */
export function ConsentNotice({ repository, onAgree }: { repository: string; onAgree(): void }) {
  return (
    <Notice tone="need" className="mt-3 flex flex-wrap items-center justify-between gap-3">
      <span className="min-w-0 flex-1 basis-72">
        Allow agents to run commands in{" "}
        <strong className="break-all">{repository.trim() || "sessions without a repository"}</strong>? This includes
        programs started by files in the repository, such as .mcp.json at the starting commit. You'll only be asked
        once. You can withdraw consent in Settings under “Repositories”.
      </span>
      <Button onClick={onAgree}>Allow</Button>
    </Notice>
  )
}
