import { obeyOrders } from './obeyOrders.ts';
import { openActor } from './openActor.ts';

obeyOrders(openActor);
