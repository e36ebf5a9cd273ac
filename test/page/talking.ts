import type { Page } from 'playwright-core'

/** Types a message, and sends it. */
export async function ask(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message', { exact: true }).fill(text)
  await page.getByRole('button', { name: 'Send' }).click()
}

/** Waits for a text, whole or by a pattern. */
export async function withText(page: Page, text: string | RegExp): Promise<void> {
  await page.getByText(text, { exact: true }).first().waitFor()
}

/** Returns the texts of the messages and calls of all answers. */
export function messages(page: Page): Promise<string[]> {
  return page.locator('.answer .message, .answer .call').allInnerTexts()
}

/** Hides a tab, or shows it again. A browser without a screen shows all of its tabs, so the page is told that it is hidden. */
export async function setHidden(page: Page, isHidden: boolean): Promise<void> {
  await page.evaluate((value) => {
    Object.defineProperty(document, 'hidden', { configurable: true, value })
    document.dispatchEvent(new Event('visibilitychange'))
  }, isHidden)
}
