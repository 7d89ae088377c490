; A kitchen after Tru-POMDP's description: galley, hard.
(define (problem hard-galley-0004)
  (:domain kitchen)
  (:objects
    fridge_freezer_layer fridge_cooler_layer dishwasher_inner_space oven_inner_space microwave_inner_space
    dry_food_storage_cabinet small_appliance_cabinet liquor_storage_cabinet cleaning_supply_cabinet
    backup_dishes_cabinet baking_ingredients_cabinet bulk_food_cabinet seasonal_items_cabinet
    cookware_storage_cabinet servingware_display_cabinet pet_supply_cabinet medicine_storage_cabinet
    utensil_organizer_drawer cooking_tool_drawer spice_rack_drawer foil_wrap_drawer snack_storage_drawer
    knife_block_drawer kitchen_linen_drawer recycling_bin_drawer lunch_container_drawer tea_coffee_drawer
    preserved_ingredients_drawer daily_dishes_shelf - container
    coffee_station_surface chopping_station_surface breakfast_prep_surface rice_cooker_surface
    mixing_station_surface baking_prep_surface fruit_basket_surface microwave_station_surface
    knife_magnet_surface herb_garden_surface cookbook_display_shelf - surface
    chicken vase wine_glass blender peanuts wine_opener paper_towels cheese cookbook sponge rice plate cereal
    coffee_beans salt spatula honey casserole_dish lemon hand_mixer - movable)
  (:init
    (hand-empty)
    (inside chicken microwave_inner_space) (inside vase servingware_display_cabinet)
    (inside wine_glass dishwasher_inner_space) (inside blender small_appliance_cabinet)
    (inside peanuts snack_storage_drawer) (inside wine_opener cooking_tool_drawer)
    (inside paper_towels kitchen_linen_drawer) (inside cheese fridge_freezer_layer)
    (inside cookbook pet_supply_cabinet) (inside sponge cleaning_supply_cabinet)
    (inside rice preserved_ingredients_drawer) (inside plate backup_dishes_cabinet)
    (inside cereal bulk_food_cabinet) (inside coffee_beans liquor_storage_cabinet)
    (inside salt baking_ingredients_cabinet) (on spatula baking_prep_surface) (inside honey bulk_food_cabinet)
    (inside casserole_dish backup_dishes_cabinet) (inside lemon fridge_cooler_layer)
    (on hand_mixer coffee_station_surface))
  (:goal
    (and (or (on chicken microwave_station_surface) (inside chicken fridge_cooler_layer))
    (or (on vase cookbook_display_shelf) (inside vase seasonal_items_cabinet))
    (inside wine_glass daily_dishes_shelf) (on blender rice_cooker_surface) (inside peanuts bulk_food_cabinet)
    (on wine_opener breakfast_prep_surface))))
