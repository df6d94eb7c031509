import type { PageRow } from '../pages.ts';
import { can } from '../state/session.ts';

export const mayOpen = ({ needs }: PageRow): boolean => needs === undefined || can(needs);
