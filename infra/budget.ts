/// <reference path="../.sst/platform/config.d.ts" />
import { alarmEmail, budgetDollars } from "./stage.ts"

/** Mail to `ALARM_EMAIL` before the month's bill of the account passes `BUDGET_DOLLARS`. It stops nothing. */
export function createBudget(): void {
  if (budgetDollars === undefined) return
  if (!/^[1-9]\d{0,6}$/.test(budgetDollars)) throw new Error("BUDGET_DOLLARS is a whole number of dollars a month.")
  if (alarmEmail === undefined) throw new Error("BUDGET_DOLLARS takes ALARM_EMAIL, which is told.")
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
