import { Link } from "wouter"
import { ApiError } from "../../api/client.ts"
import { errorText } from "../../api/error-text.ts"
import { paths } from "../../session/context/routes.ts"
import { Notice } from "../../ui/notice.tsx"

/** The reason why nothing began. Where the budget is used up, with the way to it. */
export function StartRefusal({ error, className }: { error: unknown; className?: string }) {
  const isBudget = error instanceof ApiError && error.code === "budget_reached"
  return (
    <Notice tone="err" className={className}>
      {errorText(error)}
      {isBudget && (
        <>
          {" "}
          <Link
            href={paths.usage()}
            className="inline-flex min-h-6 items-center text-accent underline underline-offset-2"
          >
            See the budget
          </Link>
        </>
      )}
    </Notice>
  )
}
