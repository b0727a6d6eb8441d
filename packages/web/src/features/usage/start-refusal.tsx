import { ApiError } from "../../api/client.ts"
import { paths } from "../../session/context/routes.ts"
import { errorText } from "../../ui/error-text.ts"
import { Notice } from "../../ui/notice.tsx"
import { TextLink } from "../../ui/text-link.tsx"

/** Why nothing was started. If the budget is used up, includes a link to it. */
export function StartRefusal({ error, className }: { error: unknown; className?: string }) {
  const isBudget = error instanceof ApiError && error.code === "budget_reached"
  return (
    <Notice tone="err" className={className}>
      {errorText(error)}
      {isBudget && (
        <>
          {" "}
          <TextLink href={paths.usage()} className="inline-flex min-h-6 items-center">
            View budget
          </TextLink>
        </>
      )}
    </Notice>
  )
}
