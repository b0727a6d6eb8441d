import { errorText } from "../../ui/error-text.ts"
import { useToast } from "./studio.ts"

/** Waits for a response. If the request fails, shows why in a toast and resolves to null. */
export function useTold(): <T>(answer: Promise<T>) => Promise<T | null> {
  const toast = useToast()
  return (answer) =>
    answer.catch((failure: unknown) => {
      toast(errorText(failure), "err")
      return null
    })
}
