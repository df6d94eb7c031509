-- The transactions of a block whose traces could not be had, where the others were evaluated; null: the whole block.
alter table unseen_block add column transactions text[];
