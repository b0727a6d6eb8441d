/// <reference path="../.sst/platform/config.d.ts" />
import { alarmEmail, budgetDollars } from "./stage.ts"

/** Emails `ALARM_EMAIL` before the account's monthly bill exceeds `BUDGET_DOLLARS`. Doesn't stop anything. */
export function createBudget(): void {
  if (budgetDollars === undefined) return
  if (!/^[1-9]\d{0,6}$/.test(budgetDollars))
    throw new Error("BUDGET_DOLLARS must be a whole number of dollars per month.")
  if (alarmEmail === undefined) throw new Error("BUDGET_DOLLARS needs ALARM_EMAIL, the address for budget alerts.")
  const mail = {
    comparisonOperator: "GREATER_THAN",
    thresholdType: "PERCENTAGE",
    subscriberEmailAddresses: [alarmEmail],
  }
  new aws.budgets.Budget("Budget", {
    budgetType: "COST",
    timeUnit: "MONTHLY",
    limitAmount: budgetDollars,
    limitUnit: "USD",
    notifications: [
      { ...mail, notificationType: "ACTUAL", threshold: 80 },
      { ...mail, notificationType: "FORECASTED", threshold: 100 },
    ],
  })
}
