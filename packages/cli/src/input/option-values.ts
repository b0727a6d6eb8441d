import { Scope } from "@switchyard/core/people/access/schema"
import { InvalidArgumentError } from "commander"

export function positive(text: string): number {
  const number = Number(text)
  // A longer timer would overflow and fire immediately.
  if (number > 0 && number <= 2_000_000) return number
  throw new InvalidArgumentError("It must be a number of seconds greater than 0.")
}

export function natural(text: string): number {
  const number = Number(text)
  if (Number.isSafeInteger(number) && number >= 0) return number
  throw new InvalidArgumentError("It must be a whole number, 0 or more.")
}

export function dollars(text: string): number {
  const number = Number(text)
  if (text.trim() !== "" && number >= 0 && number <= 1_000_000) return number
  throw new InvalidArgumentError("It must be an amount in dollars, such as 2.50.")
}

/** Collects the values of an option that can be given more than once. */
export function collected(value: string, before: string[] = []): string[] {
  return [...before, value]
}

export interface BudgetOptions {
  budget?: number
  budgetTokens?: number
  budgetMinutes?: number
}

/** Returns the budget that these options set for new work. */
export function budgetIn({ budget: usd, budgetTokens: tokens, budgetMinutes: minutes }: BudgetOptions) {
  const isLimited = [usd, tokens, minutes].some((limit) => limit !== undefined)
  return isLimited ? { usd, tokens, minutes } : undefined
}

export function days(text: string): number {
  const number = natural(text)
  if (number > 0) return number
  throw new InvalidArgumentError("It must be 1 day or more.")
}

export function scopes(text: string): Scope[] {
  return text.split(",").map((part) => {
    const scope = Scope.safeParse(part.trim())
    if (scope.success) return scope.data
    throw new InvalidArgumentError(
      `It must be a comma-separated list of one or more of these: ${Scope.options.join(", ")}.`,
    )
  })
}
