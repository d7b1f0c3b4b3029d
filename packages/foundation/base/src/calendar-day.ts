const DAY = /^(\d{4})-(\d{2})-(\d{2})/;
const [FEBRUARY, DAYS_OF_MONTHS] = [2, [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]];

/** Whether a text starts with a day of the calendar, `2026-02-28`: Date.parse reads 30 February as 2 March. */
export function isCalendarDay(text: string): boolean {
  const [year, month, day] = DAY.exec(text)?.slice(1).map(Number) ?? [];
  if (year === undefined || month === undefined || day === undefined) return false;
  const isLeapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const dayCount = (DAYS_OF_MONTHS[month - 1] ?? 0) + (month === FEBRUARY && isLeapYear ? 1 : 0);
  return day >= 1 && day <= dayCount;
}
